import { notFound } from 'next/navigation';
import { reais, saleOf } from '../../../src/sales.ts';

export const dynamic = 'force-dynamic';

const REFRESH_SECONDS = 2;

/** Until the event has come it shows what to pay, and asks again by itself. */
export default async function SalePage({ params }: { params: Promise<{ id: string }> }) {
  const sale = saleOf((await params).id);
  if (sale === null) notFound();
  if (sale.paidBy !== null) {
    return (
      <p>
        Pago: o curso é seu! <small>{sale.paidBy}</small>
      </p>
    );
  }
  return (
    <>
      <meta httpEquiv="refresh" content={String(REFRESH_SECONDS)} />
      <p>Pague {reais(sale.amount)} com PIX:</p>
      <img src={sale.qrCode} alt="QR code" width="240" />
      <p>
        <code>{sale.copyPaste}</code>
      </p>
      {sale.page !== null && (
        <p>
          <a href={sale.page}>Pagar com cartão, ou em outra página</a>
        </p>
      )}
      <form method="post" action={`/sales/${sale.invoice}/pay`}>
        <button type="submit">Pagar no sandbox</button>
      </form>
    </>
  );
}
