interface Owner {
  readonly accountId: string;
  readonly liveMode: boolean;
}

const FORM = /^pk_(live|sandbox)_([0-9a-z]{26})$/;

/** Names an account and a mode to pages of the merchant's own, and opens nothing: it is the account's id in another form. */
export const publishableKey = ({ accountId, liveMode }: Owner): string =>
  `pk_${liveMode ? 'live' : 'sandbox'}_${accountId.slice(accountId.indexOf('_') + 1)}`;

/** Whom a publishable key names, who need not exist; null: it has not the form of one. */
export function ownerOfPublishableKey(key: string): Owner | null {
  const [, mode, suffix] = FORM.exec(key) ?? [];
  return suffix === undefined ? null : { accountId: `acct_${suffix}`, liveMode: mode === 'live' };
}
