/** Whose requests are counted together. */
export interface Party {
  readonly accountId: string;
  readonly liveMode: boolean;
}

/** As a key of what is kept of each. */
export const holderOf = ({ accountId, liveMode }: Party): string => `${accountId} ${liveMode}`;
