/** Imported before a program: its machine's clock is so many milliseconds ahead of the real one, or behind. */
const aheadMs = Number(process.env.CLOCK_AHEAD_MS ?? 0);
const RealDate = Date;

class SkewedDate extends RealDate {
  constructor(...given: readonly unknown[]) {
    // What a date is made of is its own affair.
    if (given.length === 0) super(RealDate.now() + aheadMs);
    else super(...(given as [number]));
  }

  static override now(): number {
    return RealDate.now() + aheadMs;
  }
}

globalThis.Date = SkewedDate as DateConstructor;
