import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useScope } from '../../api/session.ts';
import { Panel } from '../../parts/page.tsx';
import { useTexts } from '../../texts/language.tsx';
import { startTexts } from './texts.ts';
import { useSteps } from './use-start.ts';

function Step({ isDone, title, children }: { isDone: boolean; title: string; children: ReactNode }) {
  const texts = useTexts(startTexts);
  return (
    <li className={isDone ? 'step done' : 'step'}>
      <span className="step-mark" aria-hidden="true">
        {isDone ? '✓' : ''}
      </span>
      <div>
        <strong>{title}</strong>
        {isDone && <span className="visually-hidden"> ({texts.done})</span>}
        <p className="soft">{children}</p>
      </div>
    </li>
  );
}

/** What somebody new does first in the sandbox: charge, pay, return. Gone once all of it was done. */
export function FirstSteps() {
  const texts = useTexts(startTexts);
  const { data } = useSteps(useScope().mode === 'sandbox');
  if (data === undefined || data.isRefunded) return null;
  const { invoice, paid } = data;
  return (
    <Panel title={texts.firstSteps}>
      <p>{texts.firstStepsText}</p>
      <ol className="steps">
        <Step isDone={invoice !== null} title={texts.charge}>
          {texts.chargeText} <Link to="/links/new">{texts.toCharge}</Link>
        </Step>
        <Step isDone={paid !== null} title={texts.pay}>
          {texts.payText}{' '}
          {invoice === null ? (
            <Link to="/developer/sandbox">{texts.toSandbox}</Link>
          ) : (
            <Link to="/invoices/$id" params={{ id: invoice }}>
              {texts.toInvoice}
            </Link>
          )}
        </Step>
        <Step isDone={false} title={texts.refund}>
          {texts.refundText}{' '}
          {paid === null ? (
            <Link to="/sales">{texts.toSales}</Link>
          ) : (
            <Link to="/invoices/$id" params={{ id: paid }}>
              {texts.toInvoice}
            </Link>
          )}
        </Step>
      </ol>
    </Panel>
  );
}
