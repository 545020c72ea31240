import type { FailureKind } from '../../contract/events.ts';
import { mine, statement } from '../db/statement.ts';
import { type HealthStep, switchedOffAt } from '../events/deliveries/rules.ts';
import type { WebhookEndpoint } from '../events/entity.ts';
import { civilMoment } from '../kernel/brazil.ts';
import { oneLine } from '../kernel/text.ts';
import type { Timestamp } from '../kernel/time.ts';
import type { Tx } from '../unit-of-work/tx.ts';
import { type Letter, layOut, OUR_LOOK, TEST_MARK } from './letter.ts';
import { readOwner } from './owner.ts';
import { queueMail } from './queue.ts';

/** What a merchant is told of an endpoint that accepts nothing. */
export interface ToldOfEndpoint {
  readonly step: HealthStep;
  readonly id: string;
  readonly url: string;
  readonly liveMode: boolean;
  readonly merchant: string;
  readonly failingSince: Timestamp;
  readonly now: Timestamp;
  /** Null: the attempts have had their time. */
  readonly last: LastFailure | null;
}

interface LastFailure {
  readonly failure: FailureKind;
  readonly statusCode: number | null;
}

const failures: Readonly<Record<FailureKind, string>> = {
  dns: 'o nome do endereço não foi encontrado',
  connect_timeout: 'não houve conexão em 5 segundos',
  tls: 'a conexão segura (TLS) falhou',
  timeout: 'não houve resposta em 15 segundos',
  redirect_refused: 'o endereço respondeu com um redirecionamento',
  private_address: 'o endereço não está na internet pública',
  http_status: 'o endereço respondeu com um erro',
  connection: 'a conexão foi interrompida',
};

const inWords = ({ failure, statusCode }: LastFailure): string =>
  statusCode === null ? failures[failure] : `${failures[failure]} (código ${statusCode})`;

interface Wording {
  readonly subject: string;
  readonly lead: string;
  readonly advice: string;
}

const warning = (days: number, { failingSince }: ToldOfEndpoint): Wording => ({
  subject: `Seu webhook não aceita eventos há ${days} dias`,
  lead: `O endereço abaixo não aceita nenhum evento desde ${civilMoment(failingSince)}.`,
  advice: `Se nada for aceito até ${civilMoment(switchedOffAt(failingSince))}, ele será desativado. Basta uma entrega aceita para que continue ativo.`,
});

const wordings: Readonly<Record<HealthStep, (told: ToldOfEndpoint) => Wording>> = {
  warn: (told) => warning(3, told),
  warn_again: (told) => warning(6, told),
  disable: ({ now, id }) => ({
    subject: 'Seu webhook foi desativado',
    lead: `O endereço abaixo não aceitou nenhum evento em 7 dias e foi desativado em ${civilMoment(now)}. Ele não recebe mais nada.`,
    advice: `Depois de corrigir, ative-o com POST /api/v1/webhook_endpoints/${id}/enable e receba o que ele perdeu com POST /api/v1/webhook_endpoints/${id}/recover.`,
  }),
};

/** Writes to a merchant in Portuguese about an endpoint. */
export function writeOfEndpoint(told: ToldOfEndpoint): Letter {
  const { step, id, url, liveMode, merchant, last } = told;
  const { subject, lead, advice } = wordings[step](told);
  return layOut({
    look: OUR_LOOK,
    logo: null,
    subject: `${liveMode ? '' : TEST_MARK}${subject} – ${oneLine(merchant)}`,
    greeting: `Olá, ${oneLine(merchant)}!`,
    lead,
    facts: [
      ['Endereço', url],
      ['Identificador', id],
      ['Ambiente', liveMode ? 'produção' : 'teste'],
      ...(last === null ? [] : [['Última falha', inWords(last)] as const]),
    ],
    advice,
    code: null,
    action: null,
    notes: [
      `Veja cada tentativa com GET /api/v1/webhook_endpoints/${id}/deliveries e envie um evento de teste com POST /api/v1/webhook_endpoints/${id}/test.`,
    ],
  });
}

/** Of the newest event that was tried there. */
const findLastFailure = statement<LastFailure>(
  'find_last_failure',
  `SELECT t.failure, t.status_code AS "statusCode" FROM delivery d
     JOIN delivery_attempt t ON t.day = d.day AND t.event_id = d.event_id AND t.endpoint_id = d.endpoint_id
       AND t.ladder = d.ladder AND t.attempt = d.attempts
   WHERE d.endpoint_id = :endpointId AND ${mine('d')} AND t.failure IS NOT NULL ORDER BY d.event_id DESC, d.ladder DESC LIMIT 1`,
);

/** Writes to the owner of an account about an endpoint that accepts nothing (docs/product/mail.md#to-merchants). */
export async function writeToMerchant(
  tx: Tx,
  { endpoint, step }: { endpoint: WebhookEndpoint; step: HealthStep },
): Promise<void> {
  const { id, url, liveMode } = endpoint;
  const [{ name: merchant, email: recipient }, [last = null]] = await Promise.all([
    readOwner(tx),
    tx.query(findLastFailure, { endpointId: id }),
  ]);
  const told = { id, url, liveMode, merchant, failingSince: endpoint.failingSince ?? tx.now, now: tx.now, last };
  queueMail(tx, {
    about: { endpointId: id },
    occasion: step === 'disable' ? 'endpoint_disabled' : 'endpoint_failing',
    recipient,
    recipientName: oneLine(merchant),
    letter: writeOfEndpoint({ step, ...told }),
  });
}
