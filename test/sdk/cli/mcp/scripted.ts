import { exampleId } from '../../../../contract/kernel.ts';
import { AgentSession, type Ask } from '../../../../sdk/src/cli/mcp/agent-session.ts';
import type { Question } from '../../../../sdk/src/cli/mcp/confirmations.ts';
import { failureOf } from '../../../../sdk/src/cli/mcp/refusal.ts';
import { Fatura } from '../../../../sdk/src/index.ts';

/** A write as the service got it. */
export interface Write {
  readonly path: string;
  readonly key: string | null;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every form
  readonly body: any;
}

type Answer = readonly [status: number, body: unknown];

export const PAYMENT = exampleId('pi');
export const INVOICE = exampleId('in');

/** An error as the API answers it. */
export const refusal = (status: number, code: string): Answer => [
  status,
  { error: { code, type: 'api_error', message: code, param: null, request_id: 'req_1', doc_url: 'https://x.example' } },
];

/** A payment of R$ 200,00 and its open invoice, as far as a preview looks at them. */
const things: Readonly<Record<string, object>> = {
  [`/payment_intents/${PAYMENT}`]: {
    id: PAYMENT,
    invoice: INVOICE,
    amount: 20_000,
    amount_refunded: 0,
    amount_disputed: 0,
  },
  [`/invoices/${INVOICE}`]: { id: INVOICE, customer_name: 'Maria', total: 20_000, amount_remaining: 20_000 },
};

interface Script {
  /** What each write is answered, in their order; the last one is answered to all that follow. */
  readonly answers: readonly (Answer | Error | Promise<Answer>)[];
  /** What reads are answered instead. */
  readonly reads?: () => Readonly<Record<string, object>>;
  readonly ask?: Ask;
  /** Cents. */
  readonly maxAmount?: number;
}

/** An agent's session at a service that answers as it is told. */
export function startSession({ answers, reads = () => ({}), ask = null, maxAmount = 100_000 }: Script) {
  const writes: Write[] = [];
  const service: typeof fetch = async (input, init) => {
    const { method = 'GET', headers, body } = init ?? {};
    const path = new URL(String(input)).pathname.replace('/api/v1', '');
    const [status, answer] =
      method === 'GET'
        ? read(path)
        : await write({
            path,
            key: new Headers(headers).get('Idempotency-Key'),
            body: body === undefined ? null : JSON.parse(String(body)),
          });
    return typeof answer === 'string' ? new Response(answer, { status }) : Response.json(answer, { status });
  };
  const read = (path: string): Answer => {
    const found = { ...things, ...reads() }[path];
    return found === undefined ? refusal(404, 'RESOURCE_MISSING') : [200, found];
  };
  const write = async (one: Write): Promise<Answer> => {
    writes.push(one);
    const answer = await (answers[writes.length - 1] ?? answers.at(-1));
    if (answer === undefined || answer instanceof Error) throw answer ?? new Error('no answer');
    return answer;
  };
  const fatura = new Fatura({ apiKey: 'sk_sandbox_x', baseUrl: 'http://localhost', retries: 0, fetch: service });
  let open: readonly Question[] = [];
  const session = new AgentSession({
    fatura,
    live: false,
    writes: true,
    maxAmount,
    confirmWithinMs: 60_000,
    tell: () => {},
    showPerson: async (questions) => {
      open = questions;
    },
  });
  const signal = new AbortController().signal;
  // biome-ignore lint/suspicious/noExplicitAny: what a tool answers is whatever the service has for it
  const call = async (name: string, args: Record<string, unknown>): Promise<any> =>
    session.call({ name, args, signal, ask }).catch(failureOf);
  /** The code that the person sees of a question. */
  const codeOf = (words: string): string => open.findLast((question) => question.words === words)?.code ?? '';
  /** Confirms by the code that the person reads out. */
  const confirm = async (name: string, args: Record<string, unknown>) => {
    const { confirmation_needed, ...refused } = await call(name, args);
    if (confirmation_needed === undefined) return refused;
    return call(name, { ...args, confirmation_code: codeOf(confirmation_needed) });
  };
  return { session, writes, call, codeOf, confirm };
}
