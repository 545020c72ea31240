import { getRouteApi, Navigate } from '@tanstack/react-router';
import { useRead } from '../../api/queries.ts';
import { MissingNote } from '../../parts/missing-note.tsx';
import { Pending } from '../../parts/pending.tsx';

const route = getRouteApi('/frame/payments/$id');

/** Leads to the invoice that the payment is of. */
export function PaymentRedirect() {
  const { id } = route.useParams();
  const { data, error, refetch } = useRead(['payment_intents', id], (fatura, options) =>
    fatura.paymentIntents.retrieve(id, options),
  );
  if (error !== null) return <MissingNote error={error} retry={() => void refetch()} />;
  if (data === undefined) return <Pending />;
  return <Navigate to="/invoices/$id" params={{ id: data.invoice }} search={{ payment: id }} replace />;
}
