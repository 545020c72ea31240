import { useEffect, useState } from 'preact/hooks';
import { useTimeLeft } from './deadline.tsx';
import { isoInstant } from './format.ts';
import { useSpoken } from './language.ts';
import { Lock } from './marks.tsx';
import type { QrView } from './page-data.ts';
import type { Texts } from './texts/pt.ts';
import { problemText } from './texts.ts';
import { Trouble } from './trouble.tsx';
import type { Checkout } from './use-checkout.ts';

const COPIED_MS = 4_000;

/** Browsers give the clipboard to encrypted pages alone; elsewhere selected text is copied. */
async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const field = document.createElement('textarea');
    field.value = text;
    document.body.append(field);
    field.select();
    const isCopied = document.execCommand('copy');
    field.remove();
    return isCopied;
  }
}

/** The code as text, folded away where a script copies it. */
function CodeText({ qr, id }: { qr: QrView; id: string }) {
  const { code } = useSpoken().texts;
  const [isOpen, open] = useState(false);
  const box = `${id}-box`;
  return (
    <>
      <button
        type="button"
        class="fold scripted"
        aria-expanded={isOpen}
        aria-controls={box}
        onClick={() => open(!isOpen)}
      >
        {code.show}
      </button>
      <div id={box} class={isOpen ? '' : 'folded'}>
        <label for={id}>{code.copyPaste}</label>
        <textarea id={id} rows={3} readOnly spellcheck={false} value={qr.copyPaste} />
      </div>
    </>
  );
}

function CopyPaste({ qr, id }: { qr: QrView; id: string }) {
  const { code } = useSpoken().texts;
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setCopied(false), COPIED_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);
  return (
    <div class="copy">
      <button type="button" class="primary scripted" onClick={async () => setCopied(await copy(qr.copyPaste))}>
        {isCopied ? code.copied : code.copy}
      </button>
      <p class="visually-hidden" role="status">
        {isCopied ? code.copiedAloud : ''}
      </p>
      <CodeText qr={qr} id={id} />
    </div>
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
}

const wordsOf = ({ code }: Texts, { id }: CodeOf) => code[id];

type Props = Pick<Checkout, 'busy' | 'refresh'> & {
  readonly isSandbox: boolean;
  /** Whether the page tells how long the purchase can be paid: then nothing else counts down. */
  readonly hasDeadline: boolean;
  readonly code: CodeOf;
};

function Simulation({ code, busy }: Pick<Props, 'code' | 'busy'>) {
  const { texts } = useSpoken();
  return (
    <button type="button" class="secondary scripted" aria-disabled={busy !== null} onClick={() => void code.simulate()}>
      {busy === 'simulation' ? texts.code.simulating : wordsOf(texts, code).simulate}
    </button>
  );
}

function Check({ qr, amount }: { qr: QrView; amount: number | null }) {
  const { texts, money } = useSpoken();
  return (
    <dl class="check">
      <dt>{texts.code.recipient}</dt>
      <dd>{qr.recipient}</dd>
      {amount !== null && (
        <>
          <dt>{texts.code.amount}</dt>
          <dd>{money(amount)}</dd>
        </>
      )}
    </dl>
  );
}

function Until({ qr, left, hasDeadline }: { qr: QrView; left: number; hasDeadline: boolean }) {
  const { texts, moment, timeLeft } = useSpoken();
  return (
    <p class="note">
      {texts.code.until} <time dateTime={isoInstant(qr.expiresAt)}>{moment(qr.expiresAt)}</time>.
      {!hasDeadline && (
        <span class="left scripted">
          {texts.code.left} <span role="timer">{timeLeft(left)}</span>
        </span>
      )}
    </p>
  );
}

function Code({ qr, left, ...props }: Props & { qr: QrView; left: number }) {
  const { texts, money, again } = useSpoken();
  const { id, amount } = props.code;
  const words = wordsOf(texts, props.code);
  return (
    <>
      <div class="code">
        <CopyPaste qr={qr} id={`copy-paste-${id}`} />
        <Drawing qr={qr} name={texts.code.drawing(amount === null ? null : money(amount))} />
        <Check qr={qr} amount={amount} />
      </div>
      <ol class="steps">
        {[...texts.code.steps, words.confirm].map((step) => (
          <li key={step}>{step}</li>
        ))}
      </ol>
      <Until qr={qr} left={left} hasDeadline={props.hasDeadline} />
      <p class="waiting scripted">
        <span class="dot" aria-hidden="true" /> {words.waiting}
      </p>
      <noscript>
        <p>
          <a href={again}>{texts.code.refresh}</a>
        </p>
      </noscript>
      <p class="secure">
        <Lock /> {texts.payment.secure}
      </p>
      {props.isSandbox && <Simulation {...props} />}
    </>
  );
}

function NewCode({ code, busy, isAgain }: Pick<Props, 'code' | 'busy'> & { isAgain: boolean }) {
  const { texts } = useSpoken();
  const { id, make } = code;
  const words = wordsOf(texts, code);
  const onSubmit = (event: SubmitEvent): void => {
    event.preventDefault();
    void make();
  };
  return (
    <>
      {isAgain && <p role="status">{texts.code.ended}</p>}
      <form class={id === 'pix' ? 'new-code' : 'new-code scripted'} method="post" onSubmit={onSubmit}>
        <button type="submit" class="primary" aria-disabled={busy !== null}>
          {busy === id ? texts.code.making : isAgain ? words.again : words.make}
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
  const { texts } = useSpoken();
  const { busy, failure, refresh, purchase } = checkout;
  const { isSandbox, endsInMs } = purchase;
  const { qr, isAgain, id } = code;
  const props = { busy, refresh, isSandbox, code, hasDeadline: endsInMs !== null };
  return (
    <>
      {(failure?.action === id || failure?.action === 'simulation') && (
        <Trouble text={problemText(texts, failure.problem)} isNews />
      )}
      {qr === null ? <NewCode {...props} isAgain={isAgain} /> : <LiveCode {...props} qr={qr} />}
    </>
  );
}

/** Payment by PIX. */
export function Pix({ checkout }: { checkout: Checkout }) {
  const { purchase, makeQr: make, simulate } = checkout;
  const { qr, hadQr: isAgain, amount } = purchase;
  return <AnyCode checkout={checkout} code={{ id: 'pix', qr, isAgain, amount, make, simulate }} />;
}

/** That what comes is debited, authorised by a code, which also pays what is to be paid. */
export function PixAutomatico({ checkout }: { checkout: Checkout }) {
  const { texts, money } = useSpoken();
  const { purchase, askMandate: make, simulateMandate: simulate } = checkout;
  const { mandate, merchant, standing } = purchase;
  const amount = standing === 'payable' ? purchase.amount : null;
  if (mandate === null) return null;
  const { qr, every } = mandate;
  return (
    <>
      <p class="today">
        {amount === null ? texts.mandate.later : texts.mandate.now(money(amount))}
        {merchant}
        {texts.mandate.rest(every)}
      </p>
      <AnyCode checkout={checkout} code={{ id: 'mandate', qr, isAgain: false, amount, make, simulate }} />
    </>
  );
}
