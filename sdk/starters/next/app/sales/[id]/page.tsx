import { notFound } from 'next/navigation';
import { reais, saleOf } from '../../../src/sales.ts';
import { Code } from './code.tsx';

export const dynamic = 'force-dynamic';

/** Until the event has come it shows what to pay. */
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
      <p>Pague {reais(sale.amount)} com PIX:</p>
      <img src={sale.qrCode} alt="QR code" width="240" height="240" />
      <Code text={sale.copyPaste} />
      {sale.page !== null && (
        <p>
          <a href={sale.page}>Pagar com cartão, ou em outra página</a>
        </p>
      )}
      <form method="post" action={`/sales/${sale.invoice}/pay`}>
        <button type="submit" className="second">
          Pagar no sandbox
        </button>
      </form>
    </>
  );
}
