import fc from 'fast-check';

/** Chance does not miss so often. */
const TRIES_MAX = 1_000;

/** Sequences of at least so many commands; a failure is shrunk below that, to the fewest that show it. */
export class AtLeast<T extends Iterable<unknown>> extends fc.Arbitrary<T> {
  readonly min: number;
  readonly any: fc.Arbitrary<T>;

  constructor(min: number, any: fc.Arbitrary<T>) {
    super();
    this.min = min;
    this.any = any;
  }

  override generate(random: fc.Random, bias: number | undefined): fc.Value<T> {
    for (let tries = 1; ; tries += 1) {
      const drawn = this.any.generate(random, bias);
      if ([...drawn.value_].length >= this.min || tries >= TRIES_MAX) return drawn;
    }
  }

  override canShrinkWithoutContext(value: unknown): value is T {
    return this.any.canShrinkWithoutContext(value);
  }

  override shrink(value: T, context: unknown): fc.Stream<fc.Value<T>> {
    return this.any.shrink(value, context);
  }
}
