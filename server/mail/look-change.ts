import { type Origin, THE_SERVICE } from '../audit-log/audit-log.ts';
import { civilMoment } from '../kernel/brazil.ts';
import { oneLine, unlinked } from '../kernel/text.ts';
import type { Timestamp } from '../kernel/time.ts';
import type { LookChange } from '../profile/update.ts';
import type { Tx } from '../unit-of-work/tx.ts';
import { type Letter, layOut, OUR_LOOK } from './letter.ts';
import { type AccountOwner, readOwner } from './owner.ts';
import { type QueuedLetter, queueMail } from './queue.ts';

/** What a merchant is told of a change of what its live buyers see. */
interface ToldOfLook extends LookChange {
  readonly by: Origin['actor'];
  readonly now: Timestamp;
}

/** What each field is called; of the logo its image is told by words of ours. */
const fields: Readonly<Record<string, string>> = {
  name: 'Nome',
  tax_id: 'CPF ou CNPJ',
  support_email: 'E-mail de atendimento',
  support_phone: 'Telefone de atendimento',
  color: 'Cor',
  logo_url: 'Endereço do logotipo',
  cover_color: 'Cor da capa',
  corner_radius: 'Cantos arredondados',
  font: 'Letra das páginas',
  terms_url: 'Endereço dos termos',
  privacy_url: 'Endereço da política de privacidade',
  mail_sender_name: 'Remetente dos e-mails',
  mail_sentence: 'Frase dos e-mails',
  mail_attach_receipt: 'Recibo anexado aos e-mails',
  mail_paid: 'E-mail de pagamento confirmado',
  mail_refunded: 'E-mail de reembolso',
  mail_subscription_begun: 'E-mail de assinatura iniciada',
  mail_trial_begun: 'E-mail de teste iniciado',
  mail_trial_ending: 'E-mail de fim do teste',
  mail_plan_changed: 'E-mail de mudança de plano',
  mail_renewal_ahead: 'E-mail antes da renovação',
  mail_suspended: 'E-mail de assinatura suspensa',
  mail_reactivated: 'E-mail de assinatura reativada',
  mail_canceled: 'E-mail de cancelamento',
  mail_reminder: 'Lembretes de vencimento',
  mail_dispute_decided: 'E-mail de contestação decidida',
  mail_pix_returned: 'E-mail de PIX devolvido',
};

const EMPTY = '(vazio)';

/** Whoever has a key says what stands there: it is shown as text, and no mail program makes a link of it. */
function inWords(value: unknown): string {
  if (typeof value === 'number') return String(value);
  if (typeof value === 'boolean') return value ? 'sim' : 'não';
  return typeof value === 'string' ? unlinked(oneLine(value)) : EMPTY;
}

function imageInWords({ before, after }: LookChange): string {
  if (after.logo_digest === null) return 'removida';
  return before.logo_digest === null ? 'incluída' : 'trocada';
}

function changesOf(change: LookChange): (readonly [name: string, value: string])[] {
  const { before, after } = change;
  const named = Object.entries(fields).filter(([field]) => field in after);
  return [
    ...named.map(([field, name]) => [name, `${inWords(before[field])} → ${inWords(after[field])}`] as const),
    ...('logo_digest' in after ? [['Imagem do logotipo', imageInWords(change)] as const] : []),
  ];
}

const actors: Readonly<Record<Origin['actor']['kind'], (id: string) => string>> = {
  api_key: (id) => `chave de API ${id}`,
  staff: (id) => `pessoa da sua equipe (${id})`,
  operator: (id) => `operador da Fatura (${oneLine(id)})`,
  service: () => 'a própria Fatura',
};

function letterOf(told: ToldOfLook): Letter {
  const { look, by, now } = told;
  return layOut({
    look: OUR_LOOK,
    logo: null,
    subject: `O que seus compradores veem mudou – ${look.id}`,
    greeting: 'Olá!',
    lead: 'O que os compradores veem da sua conta em produção, nas páginas, nos recibos e nos e-mails, foi alterado:',
    facts: [
      ...changesOf(told),
      ['Alterado por', actors[by.kind](by.id)],
      ['Quando', `${civilMoment(now)} (horário de Brasília)`],
      ['Conta', look.id],
    ],
    advice:
      'Se foi você ou a sua equipe, não é preciso fazer nada. Se não foi, peça agora a quem opera a Fatura que revogue a chave e corrija os dados.',
    code: null,
    action: null,
    notes: ['Esta mensagem não tem links. A Fatura não pede senhas nem chaves por e-mail.'],
  });
}

/** What the owner of an account is sent when the look of live mode was changed. */
export const mailOfLook = (owner: AccountOwner, told: ToldOfLook): QueuedLetter => ({
  about: {},
  occasion: 'account_changed',
  recipient: owner.email,
  recipientName: oneLine(owner.name),
  letter: letterOf(told),
});

/** Writes to the owner of an account about a change of what live buyers see (docs/product/mail.md#to-merchants). */
export async function writeOfLook(tx: Tx, change: LookChange): Promise<void> {
  const { liveMode, origin = THE_SERVICE } = tx.scope;
  if (liveMode) queueMail(tx, mailOfLook(await readOwner(tx), { ...change, by: origin.actor, now: tx.now }));
}
