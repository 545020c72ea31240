import { type Command, type Context, givenOf, serviceOptions } from './command.ts';
import { CliFailure, UsageFailure } from './failure.ts';
import { addressOf, forward, isAccepted, outcomeText } from './forward.ts';
import { signingSecret } from './listener.ts';
import { openSession, type Session } from './session.ts';
import { instantText } from './time.ts';
import { typesIn } from './types.ts';

const LIMIT_DEFAULT = 20;
const LIMIT_MAX = 1_000;
const PAGE_MAX = 100;
const STATUSES = ['pending', 'delivered', 'failed', 'not_sent'] as const;

function limitOf(text: string | undefined): number {
  const limit = text === undefined ? LIMIT_DEFAULT : Number(text);
  if (Number.isInteger(limit) && limit >= 1 && limit <= LIMIT_MAX) return limit;
  throw new UsageFailure(`--limit must be a whole number from 1 to ${LIMIT_MAX}, got ${text}`);
}

function statusOf(text: string | undefined): (typeof STATUSES)[number] | undefined {
  const status = STATUSES.find((one) => one === text);
  if (text === undefined || status !== undefined) return status;
  throw new UsageFailure(`--status must be one of ${STATUSES.join(', ')}, got ${text}`);
}

/** The filters that were given, and no others. */
function filtersOf(context: Context) {
  const types = typesIn(givenOf(context, 'type'));
  const status = statusOf(givenOf(context, 'status'));
  const object = givenOf(context, 'object');
  return {
    ...(types === null ? {} : { type: types }),
    ...(status === undefined ? {} : { delivery_status: status }),
    ...(object === undefined ? {} : { related_object: object }),
  };
}

const objectOf = (object: unknown): string =>
  typeof object === 'object' && object !== null && 'id' in object ? String(object.id) : '';

export const eventsList: Command = {
  name: 'events list',
  operands: '',
  operandsMin: 0,
  operandsMax: 0,
  summary: 'List events, newest first',
  options: {
    ...serviceOptions,
    type: { type: 'string', value: 'types', help: 'Only these: invoice.paid,customer.*' },
    status: { type: 'string', value: 'status', help: `Only with this delivery result: ${STATUSES.join(', ')}.` },
    object: { type: 'string', value: 'id', help: 'Only of this object, or of what belongs to it.' },
    limit: { type: 'string', value: 'n', help: `At most so many, default ${LIMIT_DEFAULT}.` },
    json: { type: 'boolean', help: 'Whole events, one a line.' },
  },
  async run(context) {
    const max = limitOf(givenOf(context, 'limit'));
    const filters = filtersOf(context);
    const { fatura } = await openSession(context);
    let left = max;
    for await (const event of fatura.events.list(
      { ...filters, limit: Math.min(max, PAGE_MAX) },
      { signal: context.ended },
    )) {
      const { id, type, created, data } = event;
      context.say(
        context.values.json === true
          ? JSON.stringify(event)
          : `${instantText(created)}  ${type.padEnd(32)}  ${id}  ${objectOf(data.object)}`,
      );
      left -= 1;
      if (left === 0) return;
    }
  },
};

/** Sends an event once to a receiver on this machine, signed as its listener signs. */
async function forwardAgain(context: Context, { fatura, baseUrl }: Session, id: string, to: string): Promise<void> {
  const url = addressOf(to, context.env);
  const event = await fatura.events.retrieve(id);
  const account = (await fatura.account.retrieve()).id;
  const secret = await signingSecret(context.env, { account, base_url: baseUrl });
  const outcome = await forward(url, event, secret);
  const line = `${event.type}  ${id}  ${outcomeText(outcome)}  ${outcome.ms} ms`;
  if (!isAccepted(outcome)) throw new CliFailure(`Not accepted: ${line}`);
  context.say(line);
}

export const eventsResend: Command = {
  name: 'events resend',
  operands: '<event>',
  operandsMin: 1,
  operandsMax: 1,
  summary: 'Send an event again: to the endpoints that subscribe now, or to a receiver on this machine',
  options: {
    ...serviceOptions,
    endpoint: { type: 'string', value: 'id', help: 'Only to this webhook endpoint (we_…).' },
    'forward-to': {
      type: 'string',
      value: 'url',
      help: 'To this address, once, signed with the secret of `fatura listen` there.',
    },
  },
  async run(context) {
    const [id = ''] = context.operands;
    const endpoint = givenOf(context, 'endpoint');
    const to = givenOf(context, 'forward-to');
    if (endpoint !== undefined && to !== undefined) throw new UsageFailure('give --endpoint or --forward-to, not both');
    if (to !== undefined) {
      return forwardAgain(context, await openSession(context, { sandboxFor: 'events resend --forward-to' }), id, to);
    }
    const { fatura } = await openSession(context);
    const event = await fatura.events.resend(id, endpoint === undefined ? {} : { webhook_endpoint_id: endpoint });
    context.say(`${event.type}  ${event.id}  is sent again${endpoint === undefined ? '' : ` to ${endpoint}`}`);
  },
};
