import { civilMoment } from '../kernel/brazil.ts';
import { oneLine } from '../kernel/text.ts';
import { DAY, type Timestamp } from '../kernel/time.ts';
import type { Tx } from '../unit-of-work/tx.ts';
import { type Letter, layOut, OUR_LOOK } from './letter.ts';
import { readOwner } from './owner.ts';
import { queueMail } from './queue.ts';

/** What a merchant is told of the certificate with which its acquirer is called. */
export interface ToldOfCertificate {
  readonly psp: string;
  readonly serial: string;
  readonly endsAt: Timestamp;
  readonly accountId: string;
  readonly merchant: string;
  readonly now: Timestamp;
}

/** As long as it really lasts: a letter may be late. */
function inDays({ endsAt, now }: ToldOfCertificate): string {
  const days = Math.ceil((endsAt - now) / DAY);
  return days > 1 ? `em ${days} dias` : 'em menos de 24 horas';
}

/** Writes to a merchant in Portuguese about a certificate that ends. */
export function writeOfCertificate(told: ToldOfCertificate): Letter {
  const { psp, serial, endsAt, accountId, merchant } = told;
  const end = civilMoment(endsAt);
  return layOut({
    look: OUR_LOOK,
    logo: null,
    subject: `O certificado do seu PIX vence ${inDays(told)} – ${oneLine(merchant)}`,
    greeting: `Olá, ${oneLine(merchant)}!`,
    lead: `O certificado abaixo, com que suas cobranças por PIX chegam ao seu PSP, vence ${inDays(told)}. Depois disso o PSP recusa a conexão: não há cobrança nem devolução por PIX até que ele seja trocado.`,
    facts: [
      ['PSP', psp],
      ['Vence em', `${end} (horário de Brasília)`],
      ['Número de série', serial],
      ['Conta', accountId],
    ],
    advice:
      'Peça agora um certificado novo ao PSP, nos canais dele: alguns levam dias para emitir. Instale-o antes do vencimento; a troca não interrompe as cobranças.',
    code: null,
    action: null,
    notes: [
      `Quem opera a Fatura instala o certificado novo com o comando admin acquirer set ${accountId} --live pix e confere com admin acquirer test ${accountId} --live pix.`,
      'Não envie por e-mail a chave privada nem o segredo do cliente. Se o certificado já foi trocado, desconsidere esta mensagem.',
    ],
  });
}

/** Writes to the owner of an account about a certificate that ends (docs/product/mail.md#to-merchants). */
export async function writeOfEndingCertificate(
  tx: Tx,
  certificate: Pick<ToldOfCertificate, 'psp' | 'serial' | 'endsAt'>,
): Promise<void> {
  const { name: merchant, email: recipient } = await readOwner(tx);
  queueMail(tx, {
    about: { certificateEndsAt: certificate.endsAt },
    occasion: 'acquirer_certificate_ending',
    recipient,
    recipientName: oneLine(merchant),
    letter: writeOfCertificate({ ...certificate, accountId: tx.scope.accountId, merchant, now: tx.now }),
  });
}
