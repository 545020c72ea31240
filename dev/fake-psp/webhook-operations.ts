import { z } from 'zod';
import type { CallbackTopic } from './entries.ts';
import { type Call, type Desk, type Handler, param } from './operations.ts';
import { invalid, notFound } from './problem.ts';

const Asked = z.object({ webhookUrl: z.string() });

/** The header by which a merchant of Efí says that it checks the caller in another way. */
const SKIP_PROBE = 'x-skip-mtls-checking';

/** Payments are told by key; of recurrences and charges there is one address. */
const isOwnKey = (call: Call, topic: CallbackTopic): boolean =>
  topic !== 'pix' || param(call, 'chave') === call.merchant.pixKey;

const put =
  (topic: CallbackTopic): Handler =>
  async (desk, call) => {
    const { merchant } = call;
    if (!isOwnKey(call, topic)) {
      throw invalid('WebhookOperacaoInvalida', 'chave', 'A chave não pertence a este usuário recebedor.');
    }
    const { webhookUrl: url } = Asked.parse(call.body);
    const probes = desk.profile.callback.probes && call.headers[SKIP_PROBE] !== 'true';
    if (probes && !(await desk.isGuarded(url))) {
      const reason = 'A URL informada aceitou uma requisição sem certificado, ou recusou a com certificado.';
      throw invalid('WebhookOperacaoInvalida', 'webhook.webhookUrl', reason);
    }
    merchant.books.webhooks[topic] = { url, createdAt: desk.clock() };
    const status = desk.profile.success.putWebhook;
    return desk.profile.showsRegistration ? { status, body: { webhookUrl: url } } : { status };
  };

const get =
  (topic: CallbackTopic): Handler =>
  (desk, call) => ({ status: 200, body: shown(desk, call, topic) });

function shown(desk: Desk, call: Call, topic: CallbackTopic) {
  const { url, createdAt } = registered(call, topic);
  const { cnpj, pixKey } = call.merchant;
  const criacao = desk.views.date(createdAt);
  return topic === 'pix' ? { webhookUrl: url, chave: pixKey, cnpj, criacao } : { webhookUrl: url, cnpj, criacao };
}

const remove =
  (topic: CallbackTopic): Handler =>
  (_desk, call) => {
    registered(call, topic);
    call.merchant.books.webhooks[topic] = null;
    return { status: 204 };
  };

function registered(call: Call, topic: CallbackTopic) {
  const webhook = call.merchant.books.webhooks[topic];
  if (webhook !== null && isOwnKey(call, topic)) return webhook;
  throw notFound('WebhookNaoEncontrado', 'O webhook denotado por chave não encontra-se estabelecido.');
}

export const [putWebhook, getWebhook, deleteWebhook] = [put('pix'), get('pix'), remove('pix')];
export const [putWebhookRec, getWebhookRec, deleteWebhookRec] = [put('rec'), get('rec'), remove('rec')];
export const [putWebhookCobR, getWebhookCobR, deleteWebhookCobR] = [put('cobr'), get('cobr'), remove('cobr')];
