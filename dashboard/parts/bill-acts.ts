import { useFatura } from '../api/queries.ts';
import { useAct } from './act.ts';
import { useErrorSentence } from './error-note.tsx';
import { toast } from './toast.tsx';

/** What is said when each is done. */
interface BillTexts {
  readonly sent: string;
  readonly pixCopied: string;
  readonly linkCopied: string;
}

/** What is done at once, without a question, to have a bill paid: its e-mail, its PIX code, a link. */
export function useBillActs(texts: BillTexts) {
  const fatura = useFatura();
  const sentence = useErrorSentence();
  const send = useAct((id: string, options) => fatura.invoices.send(id, options), { done: texts.sent });
  const copyPix = useAct(
    async (id: string, options) => {
      const { payment_method: method } = await fatura.invoices.checkout(id, { payment_method_type: 'pix' }, options);
      await navigator.clipboard.writeText(method.pix.pix_copy_paste);
    },
    { done: texts.pixCopied },
  );
  const copyLink = async (url: string): Promise<void> => {
    await navigator.clipboard.writeText(url);
    toast(texts.linkCopied);
  };
  const error = send.error ?? copyPix.error;
  return { send, copyPix, copyLink, trouble: error === null ? null : sentence(error) };
}
