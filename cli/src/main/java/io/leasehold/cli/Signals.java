// SPDX-License-Identifier: Apache-2.0
package io.leasehold.cli;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/**
 * The signals that people and init systems send to a command. Only {@code sun.misc.Signal} tells
 * which one came. It is called by reflection, because the compiler's warning about it can't be
 * silenced; where it is missing, signals end the command as ever.
 */
final class Signals {

    private static final List<String> PASSED_ON = List.of("TERM", "INT", "HUP", "USR2", "CONT");
    private static final Set<String> ENDING = Set.of("TERM", "INT", "HUP");

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
    }

    private Signals() {}

    /** From now on signals no longer end this process: the listener is told, on another thread. */
    static void passTo(Consumer<Caught> listener) {
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
            for (String signal : PASSED_ON) {
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
