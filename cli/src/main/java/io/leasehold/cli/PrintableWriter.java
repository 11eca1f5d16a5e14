// SPDX-License-Identifier: Apache-2.0
package io.leasehold.cli;

import io.leasehold.cli.json.Printable;

import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.charset.Charset;
import java.nio.charset.CharsetEncoder;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Prints what a command says, in which names, holders and messages of others may be: nothing of it
 * reaches a terminal that a person does not see, and nothing as a question mark that the character
 * set has no room for. Lines end as ever, and colours stay.
 */
final class PrintableWriter extends PrintWriter {

    private final PrintWriter exact;

    PrintableWriter(PrintWriter exact, Charset charset) {
        super(new Escaping(exact, charset.newEncoder()), true);
        this.exact = exact;
    }

    /**
     * To a stream of this process.
     *
     * @param property has the stream's character set, if it differs from that of the locale
     */
    static PrintableWriter on(OutputStream stream, String property) {
        String locale = System.getProperty("native.encoding", StandardCharsets.UTF_8.name());
        Charset charset = Charset.forName(System.getProperty(property, locale));
        return new PrintableWriter(
                new PrintWriter(new OutputStreamWriter(stream, charset), true), charset);
    }

    /** For what a shell reads and not a person: every character as it is. */
    static PrintWriter exact(PrintWriter out) {
        return out instanceof PrintableWriter printable ? printable.exact : out;
    }

    private static final class Escaping extends Writer {

        /**
         * What is left as it is: the end of a line, and the styles and colours that we use. Others
         * could hide what they stand around, such as {@code ESC[8m}.
         */
        private static final Pattern OURS =
                Pattern.compile("\r?\n|\u001b\\[(?:(?:[0-4]|2[1-4]|3[1-79])(?:;|(?=m)))*m");

        private final PrintWriter out;
        private final CharsetEncoder encoder;

        Escaping(PrintWriter out, CharsetEncoder encoder) {
            this.out = out;
            this.encoder = encoder;
        }

        @Override
        public void write(char[] buffer, int offset, int length) {
            String text = new String(buffer, offset, length);
            Matcher ours = OURS.matcher(text);
            int from = 0;
            while (ours.find()) {
                out.write(Printable.text(text.substring(from, ours.start()), encoder));
                out.write(ours.group());
                from = ours.end();
            }
            out.write(Printable.text(text.substring(from), encoder));
        }

        @Override
        public void flush() {
            out.flush();
        }

        @Override
        public void close() throws IOException {
            out.close();
        }
    }
}
