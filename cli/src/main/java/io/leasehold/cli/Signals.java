// SPDX-License-Identifier: Apache-2.0
package io.leasehold.cli;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Consumer;

/**
 * The signals that people and init systems send to a command: all that would end or suspend this
 * process by default, as far as Java can catch them. It can't catch KILL, STOP, QUIT and those of
 * crashes; after their end the {@link Watchdog} acts. Only {@code sun.misc.Signal} tells
 * which one came. It is called by reflection, because the compiler's warning about it can't be
 * silenced; where it is missing, signals end the command as ever.
 */
final class Signals {

    private static final Set<String> STOPPING = Set.of("TERM", "INT", "HUP");
    private static final Set<String> ENDING =
            Set.of("TERM", "INT", "HUP", "ALRM", "VTALRM", "PROF", "XCPU", "IO", "PWR", "STKFLT");
    private static final Set<String> SUSPENDING = Set.of("TSTP", "TTIN", "TTOU");
    private static final Set<String> OTHERS = Set.of("USR1", "USR2", "CONT");

    /**
     * A signal.
     *
     * @param name without SIG
     * @param number as the system counts
     */
    record Caught(String name, int number) {

        /** Whether it asks programs to end; the others are only of interest to those that run. */
        boolean ends() {
            return ENDING.contains(name);
        }

        /** Whether it asks programs to stop until they are told to continue, as Ctrl-Z does. */
        boolean suspends() {
            return SUSPENDING.contains(name);
        }
    }

    private Signals() {}

    /** Stops this process; returns when somebody has continued it. */
    static void suspend() {
        boolean unused = Programs.kill("STOP", ProcessHandle.current().pid());
    }

    /** From now on signals no longer end this process: the listener is told, on another thread. */
    static void passTo(Consumer<Caught> listener) {
        Set<String> all = new HashSet<>(ENDING);
        all.addAll(SUSPENDING);
        all.addAll(OTHERS);
        take(all, listener);
    }

    /** The same of those by which people and init systems stop a server; others end it as ever. */
    static void stopsTo(Runnable listener) {
        take(STOPPING, signal -> listener.run());
    }

    private static void take(Set<String> signals, Consumer<Caught> listener) {
        try {
            Class<?> type = Class.forName("sun.misc.Signal");
            Class<?> handlerType = Class.forName("sun.misc.SignalHandler");
            Method name = type.getMethod("getName");
            Method number = type.getMethod("getNumber");
            Method handle = type.getMethod("handle", type, handlerType);
            Object handler = Proxy.newProxyInstance(
                    Signals.class.getClassLoader(),
                    new Class<?>[] {handlerType},
                    (proxy, method, args) -> {
                        if (method.getName().equals("handle")) {
                            listener.accept(new Caught(
                                    (String) name.invoke(args[0]), (int) number.invoke(args[0])));
                        }
                        return null;
                    });
            for (String signal : signals) {
                take(type, handle, signal, handler);
            }
        } catch (ReflectiveOperationException e) {
            System.getLogger(Signals.class.getName())
                    .log(System.Logger.Level.DEBUG, "signals can't be passed on here", e);
        }
    }

    private static void take(Class<?> type, Method handle, String signal, Object handler)
            throws ReflectiveOperationException {
        try {
            handle.invoke(null, type.getConstructor(String.class).newInstance(signal), handler);
        } catch (InvocationTargetException e) {
            // not on this system, or the virtual machine keeps it to itself
            if (!(e.getCause() instanceof IllegalArgumentException)) {
                throw e;
            }
        }
    }
}
