import { type Command, givenOf, serviceOptions } from './command.ts';
import { UsageFailure } from './failure.ts';
import { openSession } from './session.ts';
import { durationOf, instantOf, instantText } from './time.ts';

const COMMAND = 'clock advance';

function targetOf({ to, by }: { to: string | undefined; by: string | undefined }, now: number): number {
  if (to !== undefined) return instantOf(to, '--to');
  const seconds = durationOf(by ?? '');
  if (seconds === null) throw new UsageFailure(`--by must be such as 30s, 15m, 12h, 30d or 2w, got ${by}`);
  return now + seconds;
}

export const clockAdvance: Command = {
  name: COMMAND,
  operands: '',
  operandsMin: 0,
  operandsMax: 0,
  summary: "Advance the sandbox's clock, and wait until all that falls due on the way is done",
  options: {
    ...serviceOptions,
    to: {
      type: 'string',
      value: 'instant',
      help: 'Unix seconds, a date (2027-01-31) or an instant (2027-01-31T12:00:00-03:00).',
    },
    by: { type: 'string', value: 'duration', help: 'Such as 30s, 15m, 12h, 30d or 2w.' },
  },
  async run(context) {
    const to = givenOf(context, 'to');
    const by = givenOf(context, 'by');
    if ((to === undefined) === (by === undefined)) throw new UsageFailure('give one of --to and --by');
    const { fatura } = await openSession(context, { sandboxFor: COMMAND });
    const { now } = await fatura.testClock.retrieve({ signal: context.ended });
    const target = targetOf({ to, by }, now);
    context.tell(`From ${instantText(now)} to ${instantText(target)} …`);
    const clock = await fatura.testClock.advance({ to: target }, { signal: context.ended });
    context.say(`The sandbox's clock is at ${instantText(clock.now)} (${clock.now}).`);
  },
};
