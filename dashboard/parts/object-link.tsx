import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';

/** The screens of objects, by what an id begins with. */
const screens: Readonly<Record<string, string>> = {
  cus: '/customers/$id',
  in: '/invoices/$id',
  pi: '/payments/$id',
  sub: '/subscriptions/$id',
  prod: '/products/$id',
  dp: '/disputes/$id',
  plink: '/links/$id',
  evt: '/developer/events/$id',
  we: '/developer/webhooks/$id',
};

interface ObjectLinkProps {
  readonly id: string;
  /** Absent: the id. */
  readonly children?: ReactNode;
}

/** Leads to the screen of an object, whichever it is; where there is none, the object is named alone. */
export function ObjectLink({ id, children = id }: ObjectLinkProps) {
  const to = screens[id.split('_')[0] ?? ''];
  if (to === undefined) return <>{children}</>;
  return (
    <Link to={to as '/'} params={{ id } as object}>
      {children}
    </Link>
  );
}
