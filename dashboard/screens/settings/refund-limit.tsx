import { type FormEvent, useState } from 'react';
import { Form } from 'react-aria-components';
import { auth } from '../../api/auth.ts';
import { takeSession } from '../../api/query-client.ts';
import { useMembership, useScope } from '../../api/session.ts';
import { useAct } from '../../parts/act.ts';
import { Button } from '../../parts/button.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { errorsByField, Field } from '../../parts/field.tsx';
import { Money } from '../../parts/money.tsx';
import { Facts, Panel } from '../../parts/page.tsx';
import { useTexts } from '../../texts/language.tsx';
import { amountText, centsOf } from '../../texts/numbers.ts';
import { useSharedTexts } from '../../texts/shared.ts';
import { settingsTexts } from './texts.ts';

function Edit({ cents }: { cents: number }) {
  const { account: texts } = useTexts(settingsTexts);
  const { parts } = useSharedTexts();
  const scope = useScope();
  const [text, setText] = useState(amountText(cents));
  const [isWrong, setWrong] = useState(false);
  const save = async (limit: number): Promise<void> => takeSession(await auth.setRefundLimit(scope, limit));
  const { run, isPending, error } = useAct(save, { done: texts.limitSaved });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const limit = centsOf(text);
    setWrong(limit === null);
    if (limit !== null) run(limit);
  };
  return (
    <Form
      className="form"
      onSubmit={submit}
      validationBehavior="aria"
      validationErrors={errorsByField(error, parts.checkField)}
    >
      <Field
        label={texts.limitLabel}
        name="refund_limit"
        prefix="R$"
        inputMode="decimal"
        value={text}
        onChange={setText}
        isInvalid={isWrong}
        {...(isWrong && { errorMessage: texts.limitWrong })}
        isRequired
      />
      {error !== null && <ErrorNote error={error} />}
      <Button type="submit" isPending={isPending}>
        {texts.saveLimit}
      </Button>
    </Form>
  );
}

/** How much of one payment support may return. Cents. */
export function RefundLimit({ cents }: { cents: number }) {
  const { account: texts } = useTexts(settingsTexts);
  const { parts, roles } = useSharedTexts();
  const { role } = useMembership();
  return (
    <Panel title={texts.limit}>
      <p className="soft">{texts.limitText}</p>
      {role === 'owner' ? (
        <Edit cents={cents} />
      ) : (
        <>
          <Facts facts={[[texts.limitNow, <Money key="limit" cents={cents} />]]} />
          <p className="note">{parts.mayNot(roles[role])}</p>
        </>
      )}
    </Panel>
  );
}
