import type { PromotionCode, PromotionCodeCreate } from '@fatura/sdk';
import { type FormEvent, useState } from 'react';
import { Form } from 'react-aria-components';
import { useMay } from '../../api/may.ts';
import { useFatura, useReadList } from '../../api/queries.ts';
import { useAct } from '../../parts/act.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog, FormFoot } from '../../parts/dialog.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { errorsByField, Field, Tick } from '../../parts/field.tsx';
import { type Column, List } from '../../parts/list.tsx';
import { Panel } from '../../parts/page.tsx';
import { When } from '../../parts/when.tsx';
import { useTexts } from '../../texts/language.tsx';
import { useSharedTexts } from '../../texts/shared.ts';
import { RedeemableStatus, useTimesWords } from './coupons.tsx';
import { couponTexts } from './texts.ts';

interface CodeDialogProps {
  readonly coupon: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

function CodeForm({ coupon, onClose }: Omit<CodeDialogProps, 'isOpen'>) {
  const texts = useTexts(couponTexts);
  const { parts } = useSharedTexts();
  const fatura = useFatura();
  const [isFirst, setFirst] = useState(false);
  const { run, isPending, error, edited } = useAct(
    (code: PromotionCodeCreate, options) => fatura.promotionCodes.create(code, options),
    { done: texts.codeMade, onDone: onClose },
  );
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const code = String(new FormData(event.currentTarget).get('code') ?? '').trim();
    run({ coupon_id: coupon, code, first_time_only: isFirst });
  };
  return (
    <Form className="stack" onSubmit={submit} validationErrors={errorsByField(error, parts.checkField)}>
      <Field
        label={texts.code}
        name="code"
        hint={texts.codeHint}
        onChange={edited}
        maxLength={40}
        autoComplete="off"
        isRequired
      />
      <Tick isSelected={isFirst} onChange={setFirst}>
        {texts.firstOnly}
      </Tick>
      {error !== null && <ErrorNote error={error} />}
      <FormFoot action={texts.createCode} isPending={isPending} onClose={onClose} />
    </Form>
  );
}

/** Another code of a coupon. */
export function CodeDialog(props: CodeDialogProps) {
  const { newCode } = useTexts(couponTexts);
  return (
    <Dialog title={newCode} isOpen={props.isOpen} onClose={props.onClose}>
      <CodeForm {...props} />
    </Dialog>
  );
}

/** Lets nobody redeem a code any more, or anybody again. */
function Switch({ code: { id, active } }: { code: PromotionCode }) {
  const texts = useTexts(couponTexts);
  const fatura = useFatura();
  const { run, isPending, error } = useAct(
    (wanted: boolean, options) => fatura.promotionCodes.update(id, { active: wanted }, options),
    { done: (changed) => (changed.active ? texts.switchedOn : texts.switchedOff) },
  );
  return (
    <>
      <Button kind="quiet" isPending={isPending} onPress={() => run(!active)}>
        {active ? texts.switchOff : texts.switchOn}
      </Button>
      {error !== null && <ErrorNote error={error} />}
    </>
  );
}

function useColumns(): readonly Column<PromotionCode>[] {
  const texts = useTexts(couponTexts);
  const times = useTimesWords();
  const may = useMay();
  const columns: readonly Column<PromotionCode>[] = [
    { id: 'code', name: texts.code, isHead: true, show: ({ code }) => <strong>{code}</strong> },
    { id: 'redeemed', name: texts.redeemed, show: times },
    { id: 'created', name: texts.created, show: ({ created }) => <When at={created} as="date" /> },
    { id: 'status', name: texts.status, isCorner: true, show: (code) => <RedeemableStatus {...code} /> },
  ];
  if (!may('promotionCodes.update')) return columns;
  return [
    ...columns,
    { id: 'switch', name: texts.status, isNameHidden: true, align: 'end', show: (code) => <Switch code={code} /> },
  ];
}

/** The codes that redeem a coupon, newest first. */
export function Codes({ coupon }: { coupon: string }) {
  const texts = useTexts(couponTexts);
  const query = useReadList(['promotion-codes', coupon], (fatura, cursor, options) =>
    fatura.promotionCodes.list({ coupon_id: coupon, ...cursor }, options),
  );
  return (
    <Panel title={texts.codes}>
      <List label={texts.codes} query={query} columns={useColumns()} empty={<p>{texts.noCodes}</p>} />
    </Panel>
  );
}
