import { useEffect, useRef, useState } from 'preact/hooks';
import { useTimeLeft } from './deadline.tsx';
import { isoInstant, moment, money, timeLeft } from './format.ts';
import type { PurchaseView, QrView } from './page-data.ts';
import { problemText } from './texts.ts';
import { Trouble } from './trouble.tsx';
import type { Checkout } from './use-checkout.ts';

const COPIED_MS = 4_000;

/** Browsers give the clipboard to encrypted pages alone; elsewhere the selected text is copied. */
async function copy(field: HTMLTextAreaElement): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(field.value);
    return true;
  } catch {
    field.select();
    return document.execCommand('copy');
  }
}

function CopyPaste({ qr }: { qr: QrView }) {
  const field = useRef<HTMLTextAreaElement>(null);
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setCopied(false), COPIED_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const onClick = async () => setCopied(field.current !== null && (await copy(field.current)));
  return (
    <>
      <button type="button" class="primary scripted" onClick={onClick}>
        {isCopied ? 'Código copiado' : 'Copiar código PIX'}
      </button>
      <p class="visually-hidden" role="status">
        {isCopied ? 'Código PIX copiado. Cole no aplicativo do seu banco.' : ''}
      </p>
      <label for="copy-paste">PIX copia e cola</label>
      <textarea id="copy-paste" ref={field} rows={3} readOnly spellcheck={false} value={qr.copyPaste} />
    </>
  );
}

const Drawing = ({ qr: { drawing }, amount }: { qr: QrView; amount: number }) => (
  <svg
    class="qr"
    viewBox={`0 0 ${drawing.size} ${drawing.size}`}
    role="img"
    aria-label={`QR code PIX de ${money(amount)}`}
  >
    <path d={drawing.path} />
  </svg>
);

const Steps = () => (
  <ol class="steps">
    <li>Copie o código, ou abra a câmera do aplicativo do seu banco para ler o QR code.</li>
    <li>No aplicativo, escolha PIX e cole o código.</li>
    <li>Confira quem recebe e o valor, e confirme.</li>
  </ol>
);

type Props = Pick<Checkout, 'makeQr' | 'simulate' | 'busy' | 'refresh'> & { purchase: PurchaseView };

function Simulation({ simulate, busy }: Pick<Props, 'simulate' | 'busy'>) {
  return (
    <button type="button" class="secondary scripted" aria-disabled={busy !== null} onClick={() => void simulate()}>
      {busy === 'simulation' ? 'Simulando …' : 'Simular pagamento'}
    </button>
  );
}

function Code({ qr, left, ...props }: Props & { qr: QrView; left: number }) {
  const { purchase } = props;
  return (
    <>
      <CopyPaste qr={qr} />
      <div class="code">
        <Drawing qr={qr} amount={purchase.amount} />
        <dl class="check">
          <dt>Quem recebe</dt>
          <dd>{qr.recipient}</dd>
          <dt>Valor</dt>
          <dd>{money(purchase.amount)}</dd>
        </dl>
      </div>
      <Steps />
      <p class="note">
        Este código vale até <time dateTime={isoInstant(qr.expiresAt)}>{moment(qr.expiresAt)}</time>.
        <span class="left scripted">
          Tempo que resta: <span role="timer">{timeLeft(left)}</span>
        </span>
      </p>
      <p class="waiting scripted">
        <span class="dot" aria-hidden="true" /> Aguardando o pagamento. Esta página avisa quando ele chegar.
      </p>
      <noscript>
        <p>
          <a href="?">Já paguei: atualizar esta página</a>
        </p>
      </noscript>
      {purchase.isSandbox && <Simulation {...props} />}
    </>
  );
}

function NewCode({ makeQr, busy, isAgain }: Pick<Props, 'makeQr' | 'busy'> & { isAgain: boolean }) {
  const onSubmit = (event: SubmitEvent): void => {
    event.preventDefault();
    void makeQr();
  };
  const name = isAgain ? 'Gerar novo código PIX' : 'Gerar código PIX';
  return (
    <>
      {isAgain && (
        <p role="status">
          O código anterior venceu. Se você já pagou com ele, não pague de novo: antes de gerar outro, perguntamos ao
          banco.
        </p>
      )}
      <form class="new-code" method="post" onSubmit={onSubmit}>
        <button type="submit" class="primary" aria-disabled={busy !== null}>
          {busy === 'pix' ? 'Gerando o código …' : name}
        </button>
      </form>
      <p class="note">O código é criado na hora e pode ser pago no aplicativo de qualquer banco.</p>
    </>
  );
}

function LiveCode({ qr, ...props }: Props & { qr: QrView }) {
  const left = useTimeLeft(qr.leftMs, qr.copyPaste);
  const isEnded = left === 0;
  const { refresh } = props;
  useEffect(() => {
    if (isEnded) void refresh();
  }, [isEnded, refresh]);
  return isEnded ? <NewCode {...props} isAgain /> : <Code {...props} qr={qr} left={left} />;
}

/** Payment by PIX: the code that stands, or the button that makes one. */
export function Pix({ checkout }: { checkout: Checkout }) {
  const { purchase, failure } = checkout;
  const { qr, hadQr } = purchase;
  return (
    <>
      {(failure?.action === 'pix' || failure?.action === 'simulation') && (
        <Trouble text={problemText(failure.problem)} isNews />
      )}
      {qr === null ? <NewCode {...checkout} isAgain={hadQr} /> : <LiveCode {...checkout} qr={qr} />}
    </>
  );
}
