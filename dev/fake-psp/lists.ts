import type { Call } from './operations.ts';
import { invalid, type ProblemType } from './problem.ts';
import type { PspProfile } from './profile.ts';

export interface Period {
  readonly from: string;
  readonly to: string;
  holds(atMs: number): boolean;
}

const ITEMS_DEFAULT = 100;

/** What a list is asked for: both ends belong to it. */
export function periodOf(profile: PspProfile, { query }: Call, type: ProblemType): Period {
  const from = query.get('inicio') ?? '';
  const to = query.get('fim') ?? '';
  for (const [name, text] of [
    ['inicio', from],
    ['fim', to],
  ] as const) {
    if (!profile.takesMilliseconds && text.includes('.')) throw invalid(type, name, 'Data em formato inválido.');
  }
  if (Date.parse(to) < Date.parse(from)) throw invalid(type, 'fim', 'O parâmetro fim é anterior ao parâmetro inicio.');
  if (query.has('cpf') && query.has('cnpj')) throw invalid(type, 'cpf', 'Ambos cpf e cnpj estão preenchidos.');
  return { from, to, holds: (atMs) => atMs >= Date.parse(from) && atMs <= Date.parse(to) };
}

/** One page of what was found, and what every list says of itself. */
export function page<Item>({ query }: Call, { from, to }: Period, found: readonly Item[]) {
  const paginaAtual = Number(query.get('paginacao.paginaAtual') ?? 0);
  const itensPorPagina = Number(query.get('paginacao.itensPorPagina') ?? ITEMS_DEFAULT);
  const paginacao = {
    paginaAtual,
    itensPorPagina,
    quantidadeDePaginas: Math.max(1, Math.ceil(found.length / itensPorPagina)),
    quantidadeTotalDeItens: found.length,
  };
  const start = paginaAtual * itensPorPagina;
  return {
    parametros: { inicio: from, fim: to, paginacao },
    items: found.slice(start, start + itensPorPagina),
  };
}
