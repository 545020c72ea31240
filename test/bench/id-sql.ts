const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

/** SQL for the suffix of an id made at `ms`; the rest of it is the hash of `seed`. */
export const suffixAt = (ms: string, seed: string): string =>
  `${Array.from({ length: 10 }, (_, place) => `substr('${ALPHABET}', (((${ms}) >> ${45 - 5 * place}) & 31)::int + 1, 1)`).join(' || ')} || substr(md5(${seed}), 1, 16)`;
