import { z } from 'zod';
import type { Cob, CobTerms } from './entries.ts';
import type { Merchant } from './merchant.ts';
import { centsOf } from './money.ts';
import { invalid } from './problem.ts';
import type { PspProfile } from './profile.ts';

const DAY_SECONDS = 86_400;

/** What the document's schemas let through, as far as the PSP reads it. */
const Asked = z.object({
  status: z.literal('REMOVIDA_PELO_USUARIO_RECEBEDOR').optional(),
  calendario: z.object({ expiracao: z.number().optional() }).optional(),
  valor: z.object({ original: z.string().optional(), retirada: z.unknown().optional() }).optional(),
  chave: z.string().optional(),
  loc: z.object({ id: z.number() }).optional(),
  devedor: z.record(z.string(), z.unknown()).optional(),
  solicitacaoPagador: z.string().optional(),
  infoAdicionais: z.array(z.unknown()).optional(),
});

const ADDRESS = ['logradouro', 'cidade', 'uf', 'cep'];

const refusal = (field: string, reason: string) => invalid('CobOperacaoInvalida', `cob.${field}`, reason);

/** What a call would change of a cob. Refuses what the schema cannot. */
export function changesOf(
  body: unknown,
  at: { merchant: Merchant; profile: PspProfile; cob: Cob | null },
): Partial<CobTerms> {
  const asked = Asked.parse(body);
  const { status, calendario, valor, chave, loc, ...shown } = asked;
  if (chave !== undefined && chave !== at.merchant.pixKey) {
    throw refusal('chave', 'O campo cob.chave corresponde a uma conta que não pertence a este usuário recebedor.');
  }
  if (calendario?.expiracao !== undefined && calendario.expiracao <= 0) {
    throw refusal('calendario.expiracao', 'O campo cob.calendario.expiracao é igual ou menor que zero.');
  }
  if (valor?.retirada !== undefined) throw refusal('valor.retirada', 'Pix Saque e Pix Troco não são oferecidos.');
  const amount = valor?.original === undefined ? undefined : centsOf(valor.original);
  if (amount === 0) throw refusal('valor.original', 'O campo cob.valor.original é zero.');
  if (loc !== undefined && loc.id !== at.cob?.location.id) {
    throw refusal('loc.id', 'O location referenciado por loc.id inexiste.');
  }
  if (at.profile.refusesAddress && ADDRESS.some((field) => field in (asked.devedor ?? {}))) {
    throw refusal('devedor', 'O objeto cob.devedor não respeita o schema.');
  }
  return {
    ...(status === undefined ? {} : { status }),
    ...(calendario?.expiracao === undefined ? {} : { expiresIn: calendario.expiracao }),
    ...(amount === undefined ? {} : { amount }),
    ...(chave === undefined ? {} : { key: chave }),
    ...(Object.keys(shown).length === 0 ? {} : { shown }),
  };
}

/** The terms of a new cob, or those that a PUT gives to one that is there. */
export function newTerms(changes: Partial<CobTerms>): CobTerms {
  const { amount, key } = changes;
  if (amount === undefined || key === undefined) throw new Error('the document requires an amount and a key');
  return { expiresIn: DAY_SECONDS, shown: {}, ...changes, status: 'ATIVA', amount, key };
}

/** Whether a call removes a cob and changes something else of it. */
export const removesAndChanges = (changes: Partial<CobTerms>): boolean =>
  changes.status !== undefined && Object.keys(changes).length > 1;
