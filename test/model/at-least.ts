import fc from 'fast-check';

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
    for (;;) {
      const drawn = this.any.generate(random, bias);
      if ([...drawn.value_].length >= this.min) return drawn;
    }
  }

  override canShrinkWithoutContext(value: unknown): value is T {
    return this.any.canShrinkWithoutContext(value);
  }

  override shrink(value: T, context: unknown): fc.Stream<fc.Value<T>> {
    return this.any.shrink(value, context);
  }
}
