import type { Account, AccountUpdate } from '@fatura/sdk';
import { useState } from 'react';
import { useFatura } from '../../api/queries.ts';
import { useAct } from '../../parts/act.ts';
import { Choice, Field } from '../../parts/field.tsx';
import { useTexts } from '../../texts/language.tsx';
import { faultOfColor } from './color.ts';
import { SettingsForm } from './settings-form.tsx';
import { settingsTexts } from './texts.ts';

type PageFont = NonNullable<Account['font']>;

const PAGE_FONTS: readonly PageFont[] = ['sans', 'serif', 'rounded'];
const CORNER_RADIUS_MAX = 24;
/** As the style of payment pages has it. */
const RADIUS_OF_SERVICE = 10;

/** How payment pages are to look; the preview shows what is not saved yet. */
export interface PageDraft {
  readonly cover: string;
  readonly radius: number;
  readonly font: PageFont;
}

export const draftOf = ({ cover_color: cover, corner_radius: radius, font }: Account): PageDraft => ({
  cover: cover ?? '',
  radius: radius ?? RADIUS_OF_SERVICE,
  font: font ?? 'sans',
});

interface Links {
  readonly terms: string;
  readonly privacy: string;
}

/** Only what was changed is sent. */
export function pageChanges(account: Account, draft: PageDraft & Links): AccountUpdate {
  const now = draftOf(account);
  const cover = draft.cover.trim().toLowerCase();
  const [terms, privacy] = [draft.terms.trim(), draft.privacy.trim()];
  return {
    ...(cover !== now.cover && { cover_color: cover === '' ? null : cover }),
    ...(draft.radius !== now.radius && {
      corner_radius: draft.radius === RADIUS_OF_SERVICE ? null : draft.radius,
    }),
    ...(draft.font !== now.font && { font: draft.font === 'sans' ? null : draft.font }),
    ...(terms !== (account.terms_url ?? '') && { terms_url: terms === '' ? null : terms }),
    ...(privacy !== (account.privacy_url ?? '') && { privacy_url: privacy === '' ? null : privacy }),
  };
}

interface DraftProps {
  readonly draft: PageDraft;
  readonly change: (draft: PageDraft) => void;
}

const WHITE = '#ffffff';
const isFaulty = (cover: string): boolean => cover.trim() !== '' && faultOfColor(cover.trim()) === 'form';

function Shape({ draft, change }: DraftProps) {
  const { look: texts } = useTexts(settingsTexts);
  const { cover, radius, font } = draft;
  const fonts = PAGE_FONTS.map((one) => [one, texts.fonts[one]] as const);
  return (
    <>
      <div className="color">
        <Field
          label={texts.cover}
          hint={texts.coverHint}
          name="cover_color"
          value={cover}
          onChange={(cover) => change({ ...draft, cover })}
          isRequired={false}
          isInvalid={isFaulty(cover)}
          {...(isFaulty(cover) && { errorMessage: texts.colorForm })}
        />
        <input
          type="color"
          aria-label={texts.pickCover}
          value={faultOfColor(cover) === 'form' ? WHITE : cover.toLowerCase()}
          onChange={(event) => change({ ...draft, cover: event.target.value })}
        />
      </div>
      <label className="field">
        <span className="label">
          {texts.radius}: {texts.pixels(radius)}
        </span>
        <input
          type="range"
          name="corner_radius"
          min={0}
          max={CORNER_RADIUS_MAX}
          value={radius}
          onChange={(event) => change({ ...draft, radius: Number(event.target.value) })}
        />
      </label>
      <Choice
        label={texts.font}
        name="font"
        value={font}
        options={fonts}
        onChange={(font) => change({ ...draft, font })}
      />
    </>
  );
}

/** How payment pages look beside color and logo, and what they link to. */
export function PageLook({ account, draft, change }: DraftProps & { account: Account }) {
  const { look: texts } = useTexts(settingsTexts);
  const fatura = useFatura();
  const [terms, setTerms] = useState(account.terms_url ?? '');
  const [privacy, setPrivacy] = useState(account.privacy_url ?? '');
  const { run, isPending, error } = useAct(
    (changes: AccountUpdate, options) => fatura.account.update(changes, options),
    { done: texts.saved },
  );
  const submit = (): void => {
    if (!isFaulty(draft.cover)) run(pageChanges(account, { ...draft, terms, privacy }));
  };
  return (
    <SettingsForm save={texts.savePage} submit={submit} isPending={isPending} error={error}>
      <Shape draft={draft} change={change} />
      <Field
        label={texts.terms}
        hint={texts.termsHint}
        name="terms_url"
        type="url"
        value={terms}
        onChange={setTerms}
        isRequired={false}
      />
      <Field
        label={texts.privacy}
        name="privacy_url"
        type="url"
        value={privacy}
        onChange={setPrivacy}
        isRequired={false}
      />
    </SettingsForm>
  );
}
