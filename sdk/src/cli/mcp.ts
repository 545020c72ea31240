import { type Command, type Context, givenOf, serviceOptions } from './command.ts';
import { confirmationFile } from './confirmation-file.ts';
import { CliFailure, textOf, UsageFailure } from './failure.ts';
import { openSession } from './session.ts';
import { durationOf } from './time.ts';

const MAX_AMOUNT = 100_000;
const CONFIRM_WITHIN = '5m';
const CONFIRM_WITHIN_MAX_SECONDS = 3_600;

function maxAmountOf(context: Context): number {
  const given = givenOf(context, 'max-amount');
  const amount = given === undefined ? MAX_AMOUNT : Number(given);
  if (Number.isSafeInteger(amount) && amount >= 0) return amount;
  throw new UsageFailure(`--max-amount must be a whole number of cents, got ${given}`);
}

function confirmWithinMsOf(context: Context): number {
  const given = givenOf(context, 'confirm-within') ?? CONFIRM_WITHIN;
  const seconds = durationOf(given);
  if (seconds !== null && seconds >= 1 && seconds <= CONFIRM_WITHIN_MAX_SECONDS) return seconds * 1_000;
  throw new UsageFailure(`--confirm-within must be such as 90s or 5m, at most 1h, got ${given}`);
}

export const mcp: Command = {
  name: 'mcp',
  operands: '',
  operandsMin: 0,
  operandsMax: 0,
  summary: 'Serve the account to an AI agent, by the Model Context Protocol over the standard streams',
  details: `It only reads unless it is started with --allow-writes. What moves money, reaches a buyer or cannot be undone is then done after a
person's yes: by the client's own question, else by a code that only the terminal and a file of yours show. Documents, e-mails and phones of buyers are masked, and no card number is taken.`,
  options: {
    ...serviceOptions,
    'allow-writes': { type: 'boolean', help: 'Offer the tools that change something.' },
    live: { type: 'boolean', help: 'Allow --allow-writes with a live key: money and buyers are real.' },
    'max-amount': {
      type: 'string',
      value: 'cents',
      help: `What a session may charge and refund in all, default ${MAX_AMOUNT}.`,
    },
    'confirm-within': {
      type: 'string',
      value: 'duration',
      help: `How long a question and its code stand, default ${CONFIRM_WITHIN}.`,
    },
  },
  async run(context) {
    const maxAmount = maxAmountOf(context);
    const confirmWithinMs = confirmWithinMsOf(context);
    const { fatura, baseUrl, apiKey, live } = await openSession(context);
    const writes = context.values['allow-writes'] === true;
    if (live && writes && context.values.live !== true) {
      throw new CliFailure(
        'This is a live key: an agent that writes moves real money. Say --live too, if you mean it.',
      );
    }
    const { tell, ended } = context;
    // Beside the protocol nothing may be written to the standard output.
    tell(`Serving ${live ? 'LIVE' : 'the sandbox'} at ${baseUrl}, ${writes ? 'writes allowed' : 'reading only'}.`);
    const confirmations = confirmationFile(context.env);
    if (writes) tell(`What needs a yes is confirmed by a code, shown here and in ${confirmations.path}.`);
    const showPerson = (open: Parameters<typeof confirmations.show>[0]): Promise<void> =>
      confirmations
        .show(open)
        .catch((error: unknown) => tell(`${confirmations.path} was not written: ${textOf(error)}`));
    // Loaded late: no other command pays for the protocol.
    const { serve } = await import('./mcp/serve.ts');
    try {
      await serve({ fatura, apiKey, live, writes, maxAmount, confirmWithinMs, tell, showPerson, ended });
    } finally {
      await confirmations.remove();
    }
  },
};
