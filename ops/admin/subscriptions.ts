import { type Command, Option } from 'commander';
import { penaltyChoices, SubscriptionCancel, unusedPeriods } from '../../contract/subscription-inputs.ts';
import { cancelSubscriptionAt } from '../../server/subscriptions/cancel-at.ts';
import { instantOf, print } from './command.ts';
import type { WithService } from './service.ts';

interface CancelOptions {
  readonly at: string;
  readonly unused?: string;
  readonly penalty?: string;
  readonly withdrawal?: true;
}

/** What the API would be sent. */
function readCancel({ at, ...terms }: CancelOptions): SubscriptionCancel {
  const moment = at === 'now' || at === 'period_end' ? at : instantOf(at);
  const { data, error } = SubscriptionCancel.safeParse({ at: moment, ...terms });
  if (data !== undefined) return data;
  throw new Error(error.issues.map(({ path, message }) => `--${path.join('.')} ${message}`).join('\n'));
}

export function subscriptionCommands(program: Command, withService: WithService): void {
  program
    .command('subscription')
    .description('subscriptions of merchants, as the API changes them')
    .command('cancel <subscription>')
    .description('end a subscription, now or later; one that has ended is left as it is')
    .option('--at <when>', 'now, period_end, or an instant in Unix seconds or ISO 8601', 'now')
    .addOption(new Option('--unused <what>', 'what becomes of the rest of a paid period').choices(unusedPeriods))
    .addOption(new Option('--penalty <choice>', 'whether a minimum term is charged').choices(penaltyChoices))
    .option('--withdrawal', 'the buyer withdraws within 7 days of the first payment: all is refunded')
    .action((id: string, options: CancelOptions) => {
      const cancel = readCancel(options);
      const asked = {
        operation: 'subscriptions.cancelAt',
        object: { kind: 'subscription', id },
        values: cancel,
      } as const;
      return withService(asked, async (deps, scope) => {
        const { status, cancel_at, canceled_reason } = await cancelSubscriptionAt(deps, scope, { id, ...cancel });
        print({ subscription: id, status, cancel_at, canceled_reason });
      });
    });
}
