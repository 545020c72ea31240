import { type Command, serviceOptions } from './command.ts';
import { UsageFailure } from './failure.ts';
import { fixtureOf, triggers } from './fixtures.ts';
import { openSession } from './session.ts';

export const trigger: Command = {
  name: 'trigger',
  operands: '<type>',
  operandsMin: 1,
  operandsMax: 1,
  summary: 'Make the objects in the sandbox that lead to an event',
  details: `The objects are real, and other events come with them. Types: ${triggers.join(', ')}.`,
  options: {
    ...serviceOptions,
    'advance-clock': { type: 'boolean', help: "Allow it to advance the sandbox's clock, for what time alone brings." },
  },
  async run(context) {
    const [type = ''] = context.operands;
    const fixture = fixtureOf(type);
    if (fixture === null) throw new UsageFailure(`${type} cannot be triggered.\nTypes: ${triggers.join(', ')}`);
    if (fixture.movesClock && context.values['advance-clock'] !== true) {
      throw new UsageFailure(
        `${type} comes with time: give --advance-clock to let the sandbox's clock be advanced by weeks`,
      );
    }
    const stage = await openSession(context, { sandboxFor: 'trigger' });
    await fixture.run(stage);
    context.say(`${type} has happened.`);
  },
};
