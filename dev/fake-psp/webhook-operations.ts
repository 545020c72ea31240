import { z } from 'zod';
import { type Call, type Handler, param } from './operations.ts';
import { invalid, notFound } from './problem.ts';

const Asked = z.object({ webhookUrl: z.string() });

/** The header by which a merchant of Efí says that it checks the caller in another way. */
const SKIP_PROBE = 'x-skip-mtls-checking';

export const putWebhook: Handler = async (desk, call) => {
  const { merchant } = call;
  if (param(call, 'chave') !== merchant.pixKey) {
    throw invalid('WebhookOperacaoInvalida', 'chave', 'A chave não pertence a este usuário recebedor.');
  }
  const { webhookUrl: url } = Asked.parse(call.body);
  const probes = desk.profile.callback.probes && call.headers[SKIP_PROBE] !== 'true';
  if (probes && !(await desk.isGuarded(url))) {
    const reason = 'A URL informada aceitou uma requisição sem certificado, ou recusou a com certificado.';
    throw invalid('WebhookOperacaoInvalida', 'webhook.webhookUrl', reason);
  }
  merchant.books.webhook = { url, createdAt: desk.clock() };
  const status = desk.profile.success.putWebhook;
  return desk.profile.showsRegistration ? { status, body: { webhookUrl: url } } : { status };
};

export const getWebhook: Handler = (desk, call) => {
  const { url, createdAt } = registered(call);
  const { cnpj } = call.merchant;
  return {
    status: 200,
    body: { webhookUrl: url, chave: call.merchant.pixKey, cnpj, criacao: desk.views.date(createdAt) },
  };
};

export const deleteWebhook: Handler = (_desk, call) => {
  registered(call);
  call.merchant.books.webhook = null;
  return { status: 204 };
};

function registered(call: Call) {
  const { webhook } = call.merchant.books;
  if (webhook !== null && param(call, 'chave') === call.merchant.pixKey) return webhook;
  throw notFound('WebhookNaoEncontrado', 'O webhook denotado por chave não encontra-se estabelecido.');
}
