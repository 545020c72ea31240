import type { Coupon } from '@fatura/sdk';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { useRoleRefusal } from '../../api/may.ts';
import { useFatura, useRead } from '../../api/queries.ts';
import { ActionMenu } from '../../parts/action-menu.tsx';
import { Button } from '../../parts/button.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { Copyable } from '../../parts/copyable.tsx';
import { MissingNote } from '../../parts/missing-note.tsx';
import { Facts, Page, Panel } from '../../parts/page.tsx';
import { Pending } from '../../parts/pending.tsx';
import { When } from '../../parts/when.tsx';
import { useTexts } from '../../texts/language.tsx';
import { CodeDialog, Codes } from './codes.tsx';
import { RedeemableStatus, useOffWords, useTimesWords } from './coupons.tsx';
import { couponTexts } from './texts.ts';

const route = getRouteApi('/frame/coupons/$id');

function CouponActions({ coupon: { id, active, name } }: { coupon: Coupon }) {
  const texts = useTexts(couponTexts);
  const fatura = useFatura();
  const role = useRoleRefusal();
  const [asking, ask] = useState<'code' | 'active' | null>(null);
  const close = (): void => ask(null);
  const action = active ? texts.switchOff : texts.switchOn;
  return (
    <>
      {role('promotionCodes.create') === null && (
        <Button kind="primary" onPress={() => ask('code')}>
          {texts.newCode}
        </Button>
      )}
      <ActionMenu
        actions={[
          { id: 'active', name: action, run: () => ask('active'), refused: role('coupons.update'), isDanger: active },
        ]}
      />
      <CodeDialog coupon={id} isOpen={asking === 'code'} onClose={close} />
      <Confirm
        title={action}
        action={action}
        act={(options) => fatura.coupons.update(id, { active: !active }, options)}
        done={active ? texts.switchedOff : texts.switchedOn}
        isDanger={active}
        isOpen={asking === 'active'}
        onClose={close}
      >
        <p>{active ? texts.switchOffText : name}</p>
      </Confirm>
    </>
  );
}

/** A coupon, and its codes. */
export function CouponScreen() {
  const { id } = route.useParams();
  const texts = useTexts(couponTexts);
  const [off, times] = [useOffWords(), useTimesWords()];
  const { data, error, refetch } = useRead(['coupons', id], (fatura, options) => fatura.coupons.retrieve(id, options));
  if (error !== null) return <MissingNote error={error} retry={() => void refetch()} />;
  if (data === undefined) return <Pending />;
  return (
    <Page title={data.name} aside={<RedeemableStatus {...data} />} actions={<CouponActions coupon={data} />}>
      <Panel title={texts.about}>
        <Facts
          facts={[
            [texts.discount, off(data)],
            [texts.scope, data.applies_to === null ? texts.everything : texts.some],
            [texts.redeemed, times(data)],
            [texts.created, <When key="created" at={data.created} as="date" />],
            [texts.id, <Copyable key="id" text={data.id} name={texts.theId} />],
          ]}
        />
      </Panel>
      <Codes coupon={id} />
    </Page>
  );
}
