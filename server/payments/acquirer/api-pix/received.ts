import { realTimeMs, SECOND_MS, type Timestamp } from '../../../kernel/time.ts';
import { isAbsent, isSuccess, unknownBy } from '../http.ts';
import type { AcquirerAnswer, ReceivedPix, ReceivedQuery } from '../port.ts';
import type { PspClient } from './client.ts';
import { readPixPage } from './reading.ts';

const PAGE = 100;
const PAGES_MAX = 200;

/** Without milliseconds, which some PSPs refuse. */
const instantOf = (at: Timestamp): string => new Date(at * SECOND_MS).toISOString().replace(/\.\d+Z$/, 'Z');

/** What a PSP answers that has no such list. */
const NO_LIST = [400, 404, 405, 501];

/** The payments of a time, page by page; one page that does not come leaves the whole unknown. */
export async function findReceived(client: PspClient, query: ReceivedQuery): Promise<AcquirerAnswer<ReceivedPix>> {
  const payments: ReceivedPix['payments'][number][] = [];
  const listed = new Set<string>();
  for (let page = 0; page < PAGES_MAX && realTimeMs() < query.untilMs; page += 1) {
    const exchange = await client.call({ method: 'GET', resource: 'pix', segments: [], query: pageQuery(query, page) });
    const read = isSuccess(exchange) ? readPixPage(exchange.body) : null;
    if (read === null) {
      const hasNone = page === 0 && exchange.kind === 'answered' && NO_LIST.includes(exchange.status);
      return hasNone ? { known: false, why: 'refused' } : unknownBy(exchange);
    }
    const isRepeated = read.payments.every(({ endToEndId }) => listed.has(endToEndId));
    for (const { endToEndId } of read.payments) listed.add(endToEndId);
    payments.push(...read.payments);
    const isLast = read.pages === null ? read.entries < PAGE || isRepeated : page + 1 >= read.pages;
    if (isLast) return { known: true, value: { isWhole: true, payments } };
  }
  return { known: true, value: { isWhole: false, payments } };
}

const pageQuery = ({ from, to, withReturns }: ReceivedQuery, page: number): Record<string, string> => ({
  inicio: instantOf(from),
  fim: instantOf(to),
  txIdPresente: 'true',
  ...(withReturns ? { devolucaoPresente: 'true' } : {}),
  'paginacao.paginaAtual': String(page),
  'paginacao.itensPorPagina': String(PAGE),
});

/** Whether a payment came in at this PSP. */
export async function holdsPayment(client: PspClient, endToEndId: string): Promise<AcquirerAnswer<boolean>> {
  const exchange = await client.call({ method: 'GET', resource: 'pix', segments: [endToEndId] });
  if (isSuccess(exchange)) return { known: true, value: true };
  return isAbsent(exchange) ? { known: true, value: false } : unknownBy(exchange);
}
