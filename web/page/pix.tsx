import { useEffect, useRef, useState } from 'preact/hooks';
import { useTimeLeft } from './deadline.tsx';
import { isoInstant, moment, money, timeLeft } from './format.ts';
import type { QrView } from './page-data.ts';
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

function CopyPaste({ qr, id }: { qr: QrView; id: string }) {
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
      <label for={id}>PIX copia e cola</label>
      <textarea id={id} ref={field} rows={3} readOnly spellcheck={false} value={qr.copyPaste} />
    </>
  );
}

const Drawing = ({ qr: { drawing }, name }: { qr: QrView; name: string }) => (
  <svg class="qr" viewBox={`0 0 ${drawing.size} ${drawing.size}`} role="img" aria-label={name}>
    <path d={drawing.path} />
  </svg>
);

/** A code that pays, or that authorises too, and what its buyer is told of it. */
interface CodeOf {
  readonly id: 'pix' | 'mandate';
  readonly qr: QrView | null;
  /** Whether one was made and has ended. */
  readonly isAgain: boolean;
  /** What it charges now, in cents; null: nothing. */
  readonly amount: number | null;
  readonly make: () => Promise<unknown>;
  readonly simulate: () => Promise<unknown>;
  readonly words: Readonly<Record<keyof typeof words.pix, string>>;
}

const words = {
  pix: {
    make: 'Gerar código PIX',
    again: 'Gerar novo código PIX',
    note: 'O código é criado na hora e pode ser pago no aplicativo de qualquer banco.',
    confirm: 'Confira quem recebe e o valor, e confirme.',
    waiting: 'Aguardando o pagamento. Esta página avisa quando ele chegar.',
    simulate: 'Simular pagamento',
  },
  mandate: {
    make: 'Gerar código do Pix Automático',
    again: 'Gerar novo código do Pix Automático',
    note: 'O código é criado na hora e pode ser autorizado no aplicativo de qualquer banco.',
    confirm: 'Confira quem recebe e o que você autoriza, e confirme.',
    waiting: 'Aguardando a autorização. Esta página avisa quando ela chegar.',
    simulate: 'Simular autorização',
  },
} as const satisfies Record<string, Record<string, string>>;

const Steps = ({ confirm }: { confirm: string }) => (
  <ol class="steps">
    <li>Copie o código, ou abra a câmera do aplicativo do seu banco para ler o QR code.</li>
    <li>No aplicativo, escolha PIX e cole o código.</li>
    <li>{confirm}</li>
  </ol>
);

type Props = Pick<Checkout, 'busy' | 'refresh'> & { readonly isSandbox: boolean; readonly code: CodeOf };

function Simulation({ code: { simulate, words }, busy }: Pick<Props, 'code' | 'busy'>) {
  return (
    <button type="button" class="secondary scripted" aria-disabled={busy !== null} onClick={() => void simulate()}>
      {busy === 'simulation' ? 'Simulando …' : words.simulate}
    </button>
  );
}

const Check = ({ qr, amount }: { qr: QrView; amount: number | null }) => (
  <dl class="check">
    <dt>Quem recebe</dt>
    <dd>{qr.recipient}</dd>
    {amount !== null && (
      <>
        <dt>Valor</dt>
        <dd>{money(amount)}</dd>
      </>
    )}
  </dl>
);

function Code({ qr, left, ...props }: Props & { qr: QrView; left: number }) {
  const { id, amount, words } = props.code;
  return (
    <>
      <CopyPaste qr={qr} id={`copy-paste-${id}`} />
      <div class="code">
        <Drawing qr={qr} name={amount === null ? 'QR code PIX' : `QR code PIX de ${money(amount)}`} />
        <Check qr={qr} amount={amount} />
      </div>
      <Steps confirm={words.confirm} />
      <p class="note">
        Este código vale até <time dateTime={isoInstant(qr.expiresAt)}>{moment(qr.expiresAt)}</time>.
        <span class="left scripted">
          Tempo que resta: <span role="timer">{timeLeft(left)}</span>
        </span>
      </p>
      <p class="waiting scripted">
        <span class="dot" aria-hidden="true" /> {words.waiting}
      </p>
      <noscript>
        <p>
          <a href="?">Já paguei: atualizar esta página</a>
        </p>
      </noscript>
      {props.isSandbox && <Simulation {...props} />}
    </>
  );
}

function NewCode({ code, busy, isAgain }: Pick<Props, 'code' | 'busy'> & { isAgain: boolean }) {
  const { id, make, words } = code;
  const onSubmit = (event: SubmitEvent): void => {
    event.preventDefault();
    void make();
  };
  return (
    <>
      {isAgain && (
        <p role="status">
          O código anterior venceu. Se você já pagou com ele, não pague de novo: antes de gerar outro, perguntamos ao
          banco.
        </p>
      )}
      <form class={id === 'pix' ? 'new-code' : 'new-code scripted'} method="post" onSubmit={onSubmit}>
        <button type="submit" class="primary" aria-disabled={busy !== null}>
          {busy === id ? 'Gerando o código …' : isAgain ? words.again : words.make}
        </button>
      </form>
      <p class="note">{words.note}</p>
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

/** The code that stands, or the button that makes one. */
function AnyCode({ checkout, code }: { checkout: Checkout; code: CodeOf }) {
  const { busy, failure, refresh, purchase } = checkout;
  const { isSandbox } = purchase;
  const { qr, isAgain, id } = code;
  const props = { busy, refresh, isSandbox, code };
  return (
    <>
      {(failure?.action === id || failure?.action === 'simulation') && (
        <Trouble text={problemText(failure.problem)} isNews />
      )}
      {qr === null ? <NewCode {...props} isAgain={isAgain} /> : <LiveCode {...props} qr={qr} />}
    </>
  );
}

/** Payment by PIX. */
export function Pix({ checkout }: { checkout: Checkout }) {
  const { purchase, makeQr: make, simulate } = checkout;
  const { qr, hadQr: isAgain, amount } = purchase;
  return <AnyCode checkout={checkout} code={{ id: 'pix', qr, isAgain, amount, make, simulate, words: words.pix }} />;
}

/** That what comes is debited, authorised by a code, which also pays what is to be paid. */
export function PixAutomatico({ checkout }: { checkout: Checkout }) {
  const { purchase, askMandate: make, simulateMandate: simulate } = checkout;
  const { mandate, merchant, standing } = purchase;
  const amount = standing === 'payable' ? purchase.amount : null;
  if (mandate === null) return null;
  const { qr, every } = mandate;
  return (
    <>
      <p class="today">
        {amount === null
          ? 'Hoje nada é cobrado. Com o código, você autoriza '
          : `Com um só código, você paga ${money(amount)} agora e autoriza `}
        {merchant} a debitar da sua conta as próximas cobranças, a cada {every}, no valor de cada uma. Você encerra a
        autorização quando quiser, no aplicativo do seu banco ou na página da sua assinatura.
      </p>
      <AnyCode
        checkout={checkout}
        code={{ id: 'mandate', qr, isAgain: false, amount, make, simulate, words: words.mandate }}
      />
    </>
  );
}
