/*
 * Licensed to nobody.
 */
package com.example.pay;

import java.util.List;
import java.util.*;
import static java.util.Objects.requireNonNull;

/**
 * Charges cards. With {@link Card} and <b>care</b>.
 *
 * @author nobody
 */
@Service
@Deprecated(since = "1")
public abstract class Sample<T extends Comparable<T>> extends Base implements Charger, Runnable {
    /** The most. */
    public static final int LIMIT = 100, OTHER = 2;
    private static final Logger LOG = null;
    protected String name;

    static { System.out.println(); }

    /** Makes one. */
    public Sample(String name) throws IOException {
        this.name = name;
    }

    /**
     * Charges it.
     * @param amount how much
     */
    @Override
    public synchronized <R> List<R> charge(
            final Map<String, ? super T> card, // the card
            int... amounts) throws ChargeException, IOException {
        Runnable r = new Runnable() { public void run() {} };
        return null;
    }

    abstract void check();

    private void hidden() {}

    public static class Builder {
        public Sample<?> build() { return null; }
        enum Mode { ON, OFF; void flip() {} }
    }

    class Inner {}
}

interface Charger {
    int RETRIES = 3;
    /** Does it. */
    void charge(String größe);
    default int retries() { return RETRIES; }
    private void secret() {}
}

public record Point<T>(int x, int y) implements Comparable<Point> {
    public Point {
        if (x < 0) throw new IllegalArgumentException();
    }
    public double length() { return 0; }
    static Point origin() { return null; }
}

sealed interface Shape permits Circle {}

public enum Colour {
    RED, GREEN { @Override int code() { return 1; } };
    int code() { return 0; }
}

@Retention(RetentionPolicy.RUNTIME)
public @interface Marker {
    String value() default "";
}
