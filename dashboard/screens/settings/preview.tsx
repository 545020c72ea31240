import type { Account } from '@fatura/sdk';
import type { CSSProperties, ReactNode } from 'react';
import type { SettingsView } from '../../../contract/account-settings.ts';
import { useTexts } from '../../texts/language.tsx';
import { phoneNumber, taxId } from '../../texts/numbers.ts';
import { faultOfColor, isReadInWhite } from './color.ts';
import type { PageDraft } from './page-look.tsx';
import { settingsTexts } from './texts.ts';

interface PreviewProps {
  readonly account: Account;
  readonly logo: SettingsView['logo'];
  readonly color: string;
  readonly page: PageDraft;
}

function Sheet({ title, className = '', children }: { title: string; className?: string; children: ReactNode }) {
  return (
    <figure className="sheet">
      <figcaption>{title}</figcaption>
      <div className={`sheet-page ${className}`} aria-hidden="true">
        {children}
      </div>
    </figure>
  );
}

const Logo = ({ logo }: Pick<PreviewProps, 'logo'>) =>
  logo === null ? null : <img src={logo.source} width={logo.width} height={logo.height} alt="" />;

/** Who writes, and how they are reached, as below pages and letters. */
function Signature({ account }: Pick<PreviewProps, 'account'>) {
  const { look: texts } = useTexts(settingsTexts);
  const { name, tax_id: identifier, support_email: email, support_phone: phone } = account;
  const ways = [email, phone === null ? null : phoneNumber(phone)].filter((way) => way !== null);
  return (
    <div className="sheet-foot">
      <p>{identifier === null ? name : `${name} · ${taxId(identifier)}`}</p>
      {ways.length > 0 && <p>{texts.sample.help(ways.join(texts.or))}</p>}
    </div>
  );
}

const covers = (color: string): boolean => faultOfColor(color) !== 'form';

/** The text of a cover is as the page has it: white, unless black is read better. */
function propertiesOf({ color, page }: PreviewProps): CSSProperties {
  const { cover, radius } = page;
  const properties = {
    '--accent': color,
    '--page-radius': `${radius}px`,
    ...(covers(cover) && { '--cover': cover, '--on-cover': isReadInWhite(cover) ? '#ffffff' : '#000000' }),
  };
  return properties as CSSProperties; // properties of our own, which the type does not know
}

function PaymentPage({ account, logo, page }: PreviewProps) {
  const { look: texts } = useTexts(settingsTexts);
  const { sample } = texts;
  return (
    <Sheet title={texts.page} className={`page-look ${page.font}`}>
      <div className={covers(page.cover) ? 'sheet-cover' : ''}>
        <Logo logo={logo} />
        <p className="sheet-name">{account.name}</p>
        <p className="sheet-amount">{sample.amount}</p>
      </div>
      <p>{sample.item}</p>
      <p className="sheet-button">{sample.pay}</p>
      <p className="sheet-link">{sample.other}</p>
      <Signature account={account} />
    </Sheet>
  );
}

function Mail({ account, logo }: PreviewProps) {
  const { look: texts } = useTexts(settingsTexts);
  const { sample } = texts;
  return (
    <Sheet title={texts.mail}>
      <Logo logo={logo} />
      <p className="sheet-name ruled">{account.name}</p>
      <p>{sample.hello}</p>
      <p>{sample.lead(account.name)}</p>
      <p className="sheet-button inline">{sample.payNow}</p>
      <Signature account={account} />
    </Sheet>
  );
}

function Receipt({ account, logo }: PreviewProps) {
  const { look: texts } = useTexts(settingsTexts);
  const { sample } = texts;
  const lines = [
    [sample.item, sample.amount],
    [sample.paidOn, sample.day],
    [sample.by, sample.pix],
    [sample.total, sample.amount],
  ] as const;
  return (
    <Sheet title={texts.receipt}>
      <Logo logo={logo} />
      <p className="sheet-name">{account.name}</p>
      <p>
        <strong>{sample.receipt}</strong>
      </p>
      {lines.map(([name, value]) => (
        <p key={name} className="sheet-line">
          <span>{name}</span>
          <span>{value}</span>
        </p>
      ))}
      <Signature account={account} />
    </Sheet>
  );
}

/** What buyers see with a color that need not be saved. The script sets the color on the element, which the policy allows. */
export function Preview(props: PreviewProps) {
  return (
    <div className="sheets" style={propertiesOf(props)}>
      <PaymentPage {...props} />
      <Mail {...props} />
      <Receipt {...props} />
    </div>
  );
}
