/** What an answer says of one field. */
export interface Violation {
  readonly razao: string;
  readonly propriedade: string;
}

/** The last part of a problem's `type`, as the document names errors. */
export type ProblemType =
  | 'RequisicaoInvalida'
  | 'AcessoNegado'
  | 'NaoEncontrado'
  | 'ServicoIndisponivel'
  | 'ErroInternoDoServidor'
  | 'CobOperacaoInvalida'
  | 'CobConsultaInvalida'
  | 'CobNaoEncontrado'
  | 'PixNaoEncontrado'
  | 'PixConsultaInvalida'
  | 'PixDevolucaoInvalida'
  | 'PixDevolucaoNaoEncontrada'
  | 'RecNaoEncontrada'
  | 'RecOperacaoInvalida'
  | 'RecConsultaInvalida'
  | 'CobRNaoEncontrado'
  | 'CobROperacaoInvalida'
  | 'CobRConsultaInvalida'
  | 'PayloadLocationRecNaoEncontrado'
  | 'WebhookRecOperacaoInvalida'
  | 'WebhookCobROperacaoInvalida'
  | 'WebhookOperacaoInvalida'
  | 'WebhookNaoEncontrado';

export interface Problem {
  readonly status: number;
  readonly type: ProblemType;
  readonly detail: string;
  readonly violations?: readonly Violation[];
}

/** The PSP does not do what was asked; each profile has its own form of saying so. */
export class PspRefusal extends Error {
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.detail);
    this.problem = problem;
  }
}

export const notFound = (type: ProblemType, detail: string): PspRefusal =>
  new PspRefusal({ status: 404, type, detail });

export const invalid = (type: ProblemType, propriedade: string, razao: string): PspRefusal =>
  new PspRefusal({ status: 400, type, detail: razao, violations: [{ razao, propriedade }] });
