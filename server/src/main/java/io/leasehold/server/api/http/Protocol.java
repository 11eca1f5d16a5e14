// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.api.http;

import com.google.protobuf.ByteString;
import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.DescriptorProtos.FileDescriptorSet;
import com.google.protobuf.DescriptorProtos.SourceCodeInfo.Location;

import io.leasehold.protocol.v1.LeaseholdProto;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The protocol as it was written, with its comments, which the generated classes no longer have.
 *
 * @param source the text
 * @param comments what is said of a thing, by its path in the descriptor
 */
record Protocol(ByteString source, Map<List<Integer>, String> comments) {

    private static final String NAME = "leasehold/v1/leasehold";

    static Protocol load() {
        try {
            return new Protocol(
                    ByteString.copyFrom(resource(NAME + ".proto")),
                    comments(resource(NAME + ".protoset")));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** What is said of the thing, in one paragraph; empty if nothing is. */
    String comment(List<Integer> path) {
        return comments.getOrDefault(path, "");
    }

    private static Map<List<Integer>, String> comments(byte[] descriptors) throws IOException {
        Map<List<Integer>, String> comments = new HashMap<>();
        for (FileDescriptorProto file : FileDescriptorSet.parseFrom(descriptors).getFileList()) {
            if (file.getName().equals(NAME + ".proto")) {
                for (Location location : file.getSourceCodeInfo().getLocationList()) {
                    String text = location.getLeadingComments().strip().replaceAll("\\s+", " ");
                    if (!text.isEmpty()) {
                        comments.put(List.copyOf(location.getPathList()), text);
                    }
                }
            }
        }
        return comments;
    }

    private static byte[] resource(String name) throws IOException {
        ClassLoader loader = LeaseholdProto.class.getClassLoader();
        try (InputStream in = loader.getResourceAsStream(name)) {
            if (in == null) {
                throw new FileNotFoundException(name);
            }
            return in.readAllBytes();
        }
    }
}
