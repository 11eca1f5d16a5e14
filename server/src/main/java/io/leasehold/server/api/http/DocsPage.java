// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.api.http;

import com.google.api.HttpRule;
import com.google.protobuf.DescriptorProtos.DescriptorProto;
import com.google.protobuf.DescriptorProtos.EnumDescriptorProto;
import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.DescriptorProtos.ServiceDescriptorProto;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.EnumDescriptor;
import com.google.protobuf.Descriptors.EnumValueDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.MethodDescriptor;
import com.google.protobuf.Descriptors.ServiceDescriptor;

import io.leasehold.protocol.v1.LeaseholdProto;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** The description of the interface for people, made from the protocol and its comments. */
final class DocsPage {

    private static final String STYLE = """
            body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;\
            color:#222;background:#fff}
            h2{margin-top:2.5rem;border-top:1px solid #ccc;padding-top:1rem}
            code{font:13px ui-monospace,monospace;background:#f2f2f2;padding:.1em .3em}
            table{border-collapse:collapse;width:100%}
            td,th{text-align:left;vertical-align:top;border-bottom:1px solid #ddd;padding:.3rem .6rem}
            """;

    private static final String INTRODUCTION = """
            <h1>Leasehold over HTTP</h1>
            <p>A POST takes the request as its JSON body, a GET takes fields as query parameters.
            Field names are lowerCamelCase (snake_case is accepted), 64-bit numbers such as tokens
            are strings, durations are seconds with an "s". Whatever was not done is
            <code>application/problem+json</code> with a <code>reason</code>. The same calls exist
            over gRPC: <a href="/docs/leasehold.proto">leasehold.proto</a>.</p>
            """;

    private final Protocol protocol;
    private final StringBuilder html = new StringBuilder();

    private DocsPage(Protocol protocol) {
        this.protocol = protocol;
    }

    static String html(Protocol protocol) {
        return new DocsPage(protocol).write();
    }

    /** Allows the page its style, and nothing else to anybody. */
    static String contentSecurityPolicy() {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256")
                    .digest(STYLE.getBytes(StandardCharsets.UTF_8));
            return "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; style-src 'sha256-"
                    + Base64.getEncoder().encodeToString(hash) + "'";
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    private String write() {
        html.append("<!DOCTYPE html><html lang=\"en\"><meta charset=\"utf-8\">")
                .append("<title>Leasehold over HTTP</title><style>")
                .append(STYLE)
                .append("</style>")
                .append(INTRODUCTION);
        for (ServiceDescriptor service : LeaseholdProto.getDescriptor().getServices()) {
            for (MethodDescriptor method : service.getMethods()) {
                describe(method);
            }
        }
        html.append("<h2>Messages</h2>");
        LeaseholdProto.getDescriptor().getMessageTypes().forEach(this::describe);
        LeaseholdProto.getDescriptor().getEnumTypes().forEach(this::describe);
        return html.append("</html>").toString();
    }

    private void describe(MethodDescriptor method) {
        Optional<HttpRule> rule = Endpoint.rule(method);
        if (rule.isEmpty()) {
            return;
        }
        String verb = Endpoint.verb(rule.get()).name();
        html.append("<h2 id=\"").append(escaped(method.getName())).append("\">");
        html.append(verb).append(' ').append(escaped(Endpoint.path(rule.get()))).append("</h2><p>");
        html.append(escaped(protocol.comment(path(method)))).append("</p><p>Takes ");
        link(method.getInputType());
        html.append(method.isServerStreaming() ? ", streams " : ", gives ");
        link(method.getOutputType());
        html.append("; over gRPC <code>").append(escaped(method.getFullName()));
        html.append("</code>.</p>");
        fields(method.getInputType());
    }

    private void describe(Descriptor message) {
        heading(message.getFullName(), protocol.comment(path(message)));
        fields(message);
        message.getNestedTypes().forEach(this::describe);
        message.getEnumTypes().forEach(this::describe);
    }

    private void describe(EnumDescriptor type) {
        heading(type.getFullName(), protocol.comment(path(type)));
        html.append("<table>");
        for (EnumValueDescriptor value : type.getValues()) {
            List<Integer> path =
                    below(path(type), EnumDescriptorProto.VALUE_FIELD_NUMBER, value.getIndex());
            row("<code>" + escaped(value.getName()) + "</code>", "", protocol.comment(path));
        }
        html.append("</table>");
    }

    private void fields(Descriptor message) {
        html.append("<table>");
        for (FieldDescriptor field : message.getFields()) {
            List<Integer> path =
                    below(path(message), DescriptorProto.FIELD_FIELD_NUMBER, field.getIndex());
            row(
                    "<code>" + escaped(field.getJsonName()) + "</code>",
                    (field.isRepeated() ? "list of " : "") + type(field),
                    protocol.comment(path));
        }
        html.append("</table>");
    }

    private void heading(String name, String comment) {
        String shown = name.substring(name.indexOf("v1.") + 3);
        html.append("<h3 id=\"").append(escaped(name)).append("\">").append(escaped(shown));
        html.append("</h3><p>").append(escaped(comment)).append("</p>");
    }

    private void row(String name, String type, String comment) {
        html.append("<tr><td>").append(name).append("<td>").append(type).append("<td>");
        html.append(escaped(comment));
    }

    private void link(Descriptor message) {
        html.append(anchor(message.getFullName(), message.getName()));
    }

    private static String type(FieldDescriptor field) {
        return switch (field.getJavaType()) {
            case MESSAGE ->
                field.getMessageType().getFile().equals(LeaseholdProto.getDescriptor())
                        ? anchor(
                                field.getMessageType().getFullName(),
                                field.getMessageType().getName())
                        : escaped(field.getMessageType().getName().toLowerCase(Locale.ROOT));
            case ENUM ->
                anchor(field.getEnumType().getFullName(), field.getEnumType().getName());
            default -> escaped(field.getType().name().toLowerCase(Locale.ROOT));
        };
    }

    private static String anchor(String id, String shown) {
        return "<a href=\"#" + escaped(id) + "\">" + escaped(shown) + "</a>";
    }

    private static List<Integer> path(MethodDescriptor method) {
        return List.of(
                FileDescriptorProto.SERVICE_FIELD_NUMBER,
                method.getService().getIndex(),
                ServiceDescriptorProto.METHOD_FIELD_NUMBER,
                method.getIndex());
    }

    private static List<Integer> path(Descriptor message) {
        Descriptor outer = message.getContainingType();
        return outer == null
                ? List.of(FileDescriptorProto.MESSAGE_TYPE_FIELD_NUMBER, message.getIndex())
                : below(path(outer), DescriptorProto.NESTED_TYPE_FIELD_NUMBER, message.getIndex());
    }

    private static List<Integer> path(EnumDescriptor type) {
        Descriptor outer = type.getContainingType();
        return outer == null
                ? List.of(FileDescriptorProto.ENUM_TYPE_FIELD_NUMBER, type.getIndex())
                : below(path(outer), DescriptorProto.ENUM_TYPE_FIELD_NUMBER, type.getIndex());
    }

    private static List<Integer> below(List<Integer> path, int kind, int index) {
        List<Integer> longer = new ArrayList<>(path);
        longer.add(kind);
        longer.add(index);
        return longer;
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;");
    }
}
