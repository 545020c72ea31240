import { useRouterState } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef } from 'react';
import { useSharedTexts } from '../texts/shared.ts';

interface PageProps {
  readonly title: string;
  /** Beside the title: what it is, or where it stands. */
  readonly aside?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** The address whose title has had the focus; null: the page was just loaded, and the browser's own focus stays. */
let announced: string | null = null;

/** A screen: its title, which takes the focus when one arrives from another screen, its actions, and what it shows. */
export function Page({ title, aside, actions, children }: PageProps) {
  const { product } = useSharedTexts();
  const heading = useRef<HTMLHeadingElement>(null);
  // Of the screen that is shown: the location is another already while the next one is loaded.
  const pathname = useRouterState({ select: ({ resolvedLocation }) => resolvedLocation?.pathname ?? null });
  useEffect(() => {
    document.title = `${title} – ${product}`;
  }, [title, product]);
  useEffect(() => {
    if (pathname === null) return;
    if (announced !== null && announced !== pathname) heading.current?.focus();
    announced = pathname;
  }, [pathname]);
  return (
    <>
      <header className="page-head">
        <div className="page-title">
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
          {aside}
        </div>
        {actions !== undefined && <div className="actions">{actions}</div>}
      </header>
      {children}
    </>
  );
}

/** A part of a page under a heading of its own. */
export function Panel({ title, actions, children }: { title?: string; actions?: ReactNode; children: ReactNode }) {
  return (
    <section className="panel">
      {title !== undefined && (
        <div className="panel-head">
          <h2>{title}</h2>
          {actions}
        </div>
      )}
      {children}
    </section>
  );
}

/** Facts by their names, as a list of terms. What is null or undefined is left out. */
export function Facts({ facts }: { facts: readonly (readonly [name: string, value: ReactNode])[] }) {
  const known = facts.filter(([, value]) => value !== null && value !== undefined && value !== false);
  return (
    <dl className="facts">
      {known.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
