import { useNavigate } from '@tanstack/react-router';
import { useRoleRefusal } from '../../api/may.ts';
import { useFatura } from '../../api/queries.ts';
import { useAct } from '../../parts/act.ts';
import { ActionMenu } from '../../parts/action-menu.tsx';
import { useErrorSentence } from '../../parts/error-note.tsx';
import { useTexts } from '../../texts/language.tsx';
import { customerTexts } from './texts.ts';
import type { WholeCustomer } from './use-customer.ts';

/** What can be done for a customer from here. */
export function CustomerActions({ customer, invoices }: WholeCustomer) {
  const texts = useTexts(customerTexts);
  const fatura = useFatura();
  const sentence = useErrorSentence();
  const role = useRoleRefusal();
  const navigate = useNavigate();
  const send = useAct((id: string, options) => fatura.invoices.send(id, options), { done: texts.sent });
  const portal = useAct(
    async (id: string, options) => {
      const { url } = await fatura.customers.createPortalLink(id, {}, options);
      await navigator.clipboard.writeText(url);
    },
    { done: texts.portalCopied },
  );
  const open = invoices.find(({ status }) => status === 'open');
  const noEmail = customer.email === null ? texts.noEmail : null;
  return (
    <>
      {send.error !== null && <span role="alert">{sentence(send.error)}</span>}
      {portal.error !== null && <span role="alert">{sentence(portal.error)}</span>}
      <ActionMenu
        actions={[
          {
            id: 'charge',
            name: texts.newCharge,
            run: () => void navigate({ to: '/links/new', search: { customer: customer.id } }),
            refused: role('invoices.create') ?? (customer.identifier === null ? texts.isErased : null),
          },
          {
            id: 'send',
            name: texts.secondCopy,
            run: () => send.run(open?.id ?? ''),
            refused: role('invoices.send') ?? (open === undefined ? texts.nothingOpen : noEmail),
          },
          {
            id: 'portal',
            name: texts.copyPortal,
            run: () => portal.run(customer.id),
            refused: role('customers.createPortalLink') ?? (customer.identifier === null ? texts.isErased : null),
          },
        ]}
      />
    </>
  );
}
