import { auth } from '../../api/auth.ts';
import { useRead } from '../../api/queries.ts';
import { useScope } from '../../api/session.ts';

/** What an operator has set of the account, and its logo. */
export const useSettings = () => {
  const scope = useScope();
  return useRead(['settings'], () => auth.settings(scope));
};

/** How the account collects in the mode of the screen. */
export const useCollectionSettings = () =>
  useRead(['collection-settings'], (fatura, options) => fatura.collectionSettings.retrieve(options));

/** What buyers see of the account in the mode of the screen. */
export const useAccount = () => useRead(['account'], (fatura, options) => fatura.account.retrieve(options));
