import type { Problem } from './problem.ts';
import type { PspProfile } from './profile.ts';

/** What the PSP answers; a body without a type is JSON. */
export interface Answer {
  readonly status: number;
  readonly body?: unknown;
  readonly contentType?: string;
}

const TITLES: Readonly<Record<number, string>> = {
  400: 'Requisição inválida.',
  401: 'Não autorizado.',
  403: 'Acesso Negado.',
  404: 'Não Encontrado.',
  409: 'Conflito.',
  429: 'Muitas requisições.',
  500: 'Erro interno do servidor.',
  503: 'Serviço Indisponível.',
};

const titleOf = (status: number): string => TITLES[status] ?? 'Erro.';

/** A refusal in the form of a profile. */
export function problemAnswer(errors: PspProfile['errors'], problem: Problem): Answer {
  const { status } = problem;
  if (errors === 'bb') return { status, body: bbBody(problem) };
  if (errors === 'efi' && (status === 409 || problem.type === 'WebhookOperacaoInvalida')) {
    return { status, body: efiBody(problem) };
  }
  const body = {
    type: `https://pix.bcb.gov.br/api/v2/error/${problem.type}`,
    title: titleOf(status),
    status: errors === 'problem-text-status' ? String(status) : status,
    detail: problem.detail,
    ...(problem.violations === undefined ? {} : { violacoes: problem.violations }),
  };
  return { status, body, contentType: 'application/problem+json' };
}

/** What the gateway refuses is told in one form, what the service behind it refuses in another. */
function bbBody({ status, detail }: Problem): unknown {
  if (status === 401 || status === 403 || status >= 500) {
    const error = titleOf(status);
    return { statusCode: status, error, message: detail, attributes: { error: detail } };
  }
  return {
    erros: [{ codigo: '4769515', versao: '1', mensagem: detail, ocorrencia: 'CHOM00000062715498140101' }],
  };
}

/** Efí's own refusals have a name and a message; what the document knows has the document's form. */
function efiBody({ status, detail }: Problem): unknown {
  return { nome: status === 409 ? 'txid_duplicado' : 'webhook_invalido', mensagem: detail };
}
