import type { Coupon } from '@fatura/sdk';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useRoleRefusal } from '../../api/may.ts';
import { useReadList } from '../../api/queries.ts';
import { Button } from '../../parts/button.tsx';
import { type Column, List } from '../../parts/list.tsx';
import { Page } from '../../parts/page.tsx';
import { Status } from '../../parts/status.tsx';
import { When } from '../../parts/when.tsx';
import { useFormat } from '../../texts/format.ts';
import { useTexts } from '../../texts/language.tsx';
import { CouponDialog } from './coupon-dialog.tsx';
import { couponTexts } from './texts.ts';

/** Whether a coupon, or a code of it, can be redeemed. */
export function RedeemableStatus({ active }: { active: boolean }) {
  const { state } = useTexts(couponTexts);
  return <Status tone={active ? 'good' : 'off'}>{active ? state.active : state.inactive}</Status>;
}

/** What a coupon takes off, in words: `10% por 3 cobranças`. */
export function useOffWords(): (coupon: Coupon) => string {
  const texts = useTexts(couponTexts);
  const { money, percentage: percentageOf } = useFormat();
  return ({ percentage, amount_cents: cents, cycles }) =>
    texts.off(percentage === null ? money(cents ?? 0) : percentageOf(percentage), cycles);
}

/** How often it was redeemed, and may be. */
export function useTimesWords(): (redeemed: Pick<Coupon, 'times_redeemed' | 'max_redemptions'>) => string {
  const texts = useTexts(couponTexts);
  return ({ times_redeemed: times, max_redemptions: most }) =>
    texts.times(String(times), most === null ? null : String(most));
}

function useColumns(): readonly Column<Coupon>[] {
  const texts = useTexts(couponTexts);
  const [off, times] = [useOffWords(), useTimesWords()];
  return [
    { id: 'name', name: texts.name, isHead: true, show: ({ name }) => name },
    { id: 'discount', name: texts.discount, show: off },
    { id: 'redeemed', name: texts.redeemed, show: times },
    { id: 'created', name: texts.created, show: ({ created }) => <When at={created} as="date" /> },
    { id: 'status', name: texts.status, isCorner: true, show: (coupon) => <RedeemableStatus {...coupon} /> },
  ];
}

function NewCoupon() {
  const texts = useTexts(couponTexts);
  const navigate = useNavigate();
  const refused = useRoleRefusal()('coupons.create');
  const [isOpen, setOpen] = useState(false);
  if (refused !== null) return <span className="soft">{refused}</span>;
  return (
    <>
      <Button kind="primary" onPress={() => setOpen(true)}>
        {texts.newCoupon}
      </Button>
      <CouponDialog
        onDone={({ id }) => void navigate({ to: '/coupons/$id', params: { id } })}
        isOpen={isOpen}
        onClose={() => setOpen(false)}
      />
    </>
  );
}

/** The coupons of the merchant, newest first. */
export function Coupons() {
  const texts = useTexts(couponTexts);
  const query = useReadList(['coupons'], (fatura, cursor, options) => fatura.coupons.list({ ...cursor }, options));
  return (
    <Page title={texts.title} actions={<NewCoupon />}>
      <List
        label={texts.title}
        query={query}
        columns={useColumns()}
        link={({ id }) => ({ to: '/coupons/$id', params: { id } })}
        empty={<p>{texts.empty}</p>}
      />
    </Page>
  );
}
