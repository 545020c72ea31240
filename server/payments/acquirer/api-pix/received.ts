import { SECOND_MS, type Timestamp } from '../../../kernel/time.ts';
import type { AcquirerAnswer, ReceivedPix, ReceivedQuery } from '../port.ts';
import { isAbsent, isSuccess, unknownBy } from './charges.ts';
import type { PspClient } from './client.ts';
import { readPixPage } from './reading.ts';

const PAGE = 100;
const PAGES_MAX = 200;

/** Without milliseconds, which some PSPs refuse. */
const instantOf = (at: Timestamp): string => new Date(at * SECOND_MS).toISOString().replace(/\.\d+Z$/, 'Z');

/** The payments of a time, page by page; one page that does not come leaves the whole unknown. */
export async function findReceived(
  client: PspClient,
  { from, to, withReturns }: ReceivedQuery,
): Promise<AcquirerAnswer<ReceivedPix>> {
  const payments: ReceivedPix['payments'][number][] = [];
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const exchange = await client.call({
      method: 'GET',
      resource: 'pix',
      segments: [],
      query: {
        inicio: instantOf(from),
        fim: instantOf(to),
        txIdPresente: 'true',
        ...(withReturns ? { devolucaoPresente: 'true' } : {}),
        'paginacao.paginaAtual': String(page),
        'paginacao.itensPorPagina': String(PAGE),
      },
    });
    const read = isSuccess(exchange) && exchange.kind === 'answered' ? readPixPage(exchange.body) : null;
    if (read === null) return unknownBy(exchange);
    payments.push(...read.payments);
    if (page + 1 >= read.pages) return { known: true, value: { isWhole: true, payments } };
  }
  return { known: true, value: { isWhole: false, payments } };
}

/** Whether a payment came in at this PSP. */
export async function holdsPayment(client: PspClient, endToEndId: string): Promise<AcquirerAnswer<boolean>> {
  const exchange = await client.call({ method: 'GET', resource: 'pix', segments: [endToEndId] });
  if (isSuccess(exchange)) return { known: true, value: true };
  return isAbsent(exchange) ? { known: true, value: false } : unknownBy(exchange);
}
