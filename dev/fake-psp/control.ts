import { z } from 'zod';
import { type Control, startControl } from '../fakes/control.ts';
import { controlPage } from './control-page.ts';
import { PspRefusal } from './problem.ts';
import type { FakePsp, MerchantCredentials, Trouble } from './psp.ts';

const Paid = z.strictObject({
  /** Cents; the cob's where none is given. */
  amount: z.int().min(1).optional(),
  late: z.boolean().optional(),
  notify: z.boolean().optional(),
});

const Returned = z.strictObject({
  amount: z.int().min(1).optional(),
  nature: z.enum(['MED_OPERACIONAL', 'MED_FRAUDE', 'MED_PIX_AUTOMATICO']),
  notify: z.boolean().optional(),
});

const Settled = z.strictObject({ status: z.enum(['DEVOLVIDO', 'NAO_REALIZADO']).optional() });

const Ended = z.strictObject({
  by: z.enum(['PSP_PAGADOR', 'USUARIO_PAGADOR', 'PSP_RECEBEDOR', 'USUARIO_RECEBEDOR']).default('USUARIO_PAGADOR'),
});
const Decided = z.strictObject({
  outcome: z.union([z.literal('paid'), z.strictObject({ code: z.string().length(4) })]),
});
const Advanced = z.strictObject({
  hours: z
    .int()
    .min(1)
    .max(24 * 400),
});

const HOUR_MS = 3_600_000;

interface Controlled {
  readonly psp: FakePsp;
  readonly merchant: MerchantCredentials;
  /** Moves the clock of the PSP ahead. Milliseconds. */
  readonly advance: (milliseconds: number) => void;
}

const charges = ({ psp, merchant }: Controlled): Control<Trouble>['acts'] => ({
  '/cobs/:id/pay': (txid, body) => ({ endToEndId: psp.pay(merchant, txid, Paid.parse(body)) }),
  '/cobs/:id/remove': (txid) => psp.removeCob(merchant, txid),
  '/payments/:id/return': (endToEndId, body) => psp.bankReturn(merchant, endToEndId, Returned.parse(body)),
  '/returns/settle': (_, body) => ({ settled: psp.settleReturns(merchant, Settled.parse(body).status) }),
});

/** What payers and their bank do with recurrences and debits. */
const recurrences = ({ psp, merchant, advance }: Controlled): Control<Trouble>['acts'] => ({
  '/recs/:id/approve': (idRec) => void psp.approve(merchant, idRec),
  '/recs/:id/reject': (idRec) => psp.rejectRec(merchant, idRec),
  '/recs/:id/expire': (idRec) => psp.expireRec(merchant, idRec),
  '/recs/:id/cancel': (idRec, body) => psp.cancelRec(merchant, idRec, Ended.parse(body).by),
  '/cobrs/:id/decide': (txid, body) => psp.decideDebit(merchant, txid, Decided.parse(body).outcome),
  '/clock': (_, body) => {
    advance(Advanced.parse(body).hours * HOUR_MS);
    psp.tick(merchant);
  },
});

/** Of the PSP's one merchant. */
export const controlPsp = (controlled: Controlled, port: number): Promise<string> => {
  const { psp, merchant } = controlled;
  const books = () => psp.books(merchant);
  return startControl<Trouble>(
    {
      troubles: psp.troubles,
      books,
      page: () => controlPage(psp.profile.name, books(), psp.troubles.list()),
      docs: 'docs/design/fake-psp.md#by-hand',
      statusOf: (error) => (error instanceof PspRefusal ? error.problem.status : undefined),
      acts: { ...charges(controlled), ...recurrences(controlled) },
    },
    port,
  );
};
