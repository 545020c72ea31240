import { z } from 'zod';
import { failures } from './errors.ts';
import { CORNER_RADIUS_MAX, PAGE_FONTS } from './forms.ts';
import { field, meta, objectName, timestamp, typeId } from './kernel.ts';
import { type SwitchedOccasion, switchedOccasions } from './mails.ts';
import { c, routerOptions } from './router.ts';
import { emailAddress, ofForm, printedText, text, webUrl } from './texts.ts';

const NAME_MAX = 255;
const TAX_ID_MAX = 32;
const PHONE_MAX = 32;
const COLOR_MAX = 32;
const COLOR_PATTERN = '^#[0-9A-Fa-f]{6}$';

/** What a logo may be (docs/product/account.md#logo). */
export const LOGO_KIB_MAX = 256;
export const LOGO_SIDE_MAX = 2_048;

const PageFont = z.enum(PAGE_FONTS).meta({ id: 'PageFont', description: 'What payment pages are written in.' });

/** White text on the color of a merchant has at least this contrast (WCAG 2, level AA). */
export const COLOR_CONTRAST_MIN = 4.5;

const EXAMPLES = {
  name: 'Loja Exemplo',
  taxId: '12ABC34501DE35',
  email: 'ajuda@loja.example',
  phone: '+551140028922',
  color: '#0b5d3b',
  logoUrl: 'https://loja.example/logo.png',
  coverColor: '#f3ead7',
  cornerRadius: 16,
  termsUrl: 'https://loja.example/termos',
  privacyUrl: 'https://loja.example/privacidade',
};

const SENDER_NAME_MAX = 60;
const SENTENCE_MAX = 300;

const meanings: Readonly<Record<SwitchedOccasion, string>> = {
  paid: 'A payment, unless it begins or changes a subscription, which one e-mail tells with it.',
  refunded: 'Money that went back, or that the bank refused to bring back.',
  subscription_begun: 'A subscription that begins.',
  trial_begun: 'A trial that begins.',
  trial_ending: 'A trial that ends within three days.',
  plan_changed: 'A change of what a subscription bills, and from when.',
  renewal_ahead: 'A renewal in seven days, of a year or longer or of another price than before.',
  suspended: 'A subscription that is suspended.',
  reactivated: 'A suspended subscription that is active again.',
  canceled: 'A subscription that ends, now or later.',
  reminder: 'An open bill, before and after it is due.',
  dispute_decided: 'A dispute that is decided.',
  pix_returned: 'A PIX that came late or twice, and went back.',
};

const switches = <T extends z.ZodType>(schema: T): { [K in SwitchedOccasion]: T } =>
  // Object.fromEntries widens the keys; they are those of the list.
  Object.fromEntries(switchedOccasions.map((name) => [name, field(schema, meanings[name], true)])) as {
    [K in SwitchedOccasion]: T;
  };

const MailOccasions = z
  .object(switches(z.boolean()))
  .meta({ id: 'MailOccasions', description: 'What buyers are written to about.' });

const mailExample = {
  sender_name: 'Loja Exemplo',
  sentence: 'Obrigado por comprar com a gente!',
  attach_receipt: false,
};
const everyOccasion = Object.fromEntries(switchedOccasions.map((name) => [name, true]));

const MailSettings = z
  .object({
    sender_name: field(
      z.string().nullable(),
      'Who e-mails to buyers come from; null: the service.',
      mailExample.sender_name,
    ),
    sentence: field(z.string().nullable(), 'Stands near the end of each; null: nothing does.', mailExample.sentence),
    attach_receipt: field(
      z.boolean(),
      'Whether the receipt goes with an e-mail that tells of a payment, as a PDF.',
      mailExample.attach_receipt,
    ),
    occasions: field(MailOccasions, 'What buyers are written to about.', everyOccasion),
  })
  .meta({ id: 'MailSettings', description: 'How buyers are written to.' });

/** A sentence of the merchant in letters to buyers. */
export const letterSentence = printedText({ max: SENTENCE_MAX });

const MailSettingsUpdate = z
  .strictObject({
    sender_name: field(
      text({ max: SENDER_NAME_MAX })
        .regex(/^[^\p{Cc}@<>"]*$/u, 'must not contain control characters, @, <, > or "')
        .meta({ pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f@<>"]*$' }),
      `1 to ${SENDER_NAME_MAX} characters, none of them a control character, \`@\`, \`<\`, \`>\` or \`"\`.`,
      mailExample.sender_name,
    )
      .nullable()
      .optional(),
    sentence: field(
      letterSentence,
      `1 to ${SENTENCE_MAX} characters, none of them a control character.`,
      mailExample.sentence,
    )
      .nullable()
      .optional(),
    attach_receipt: field(z.boolean().optional(), 'Whether receipts are attached.', true),
    occasions: field(
      z.strictObject(switches(z.boolean().optional())).meta({
        id: 'MailOccasionsUpdate',
        description: 'What buyers are written to about: an absent one keeps.',
      }),
      'What buyers are written to about: an absent one keeps.',
      { renewal_ahead: false },
    ).optional(),
  })
  .meta({ id: 'MailSettingsUpdate', description: 'How buyers are written to: an absent field keeps, null clears.' });

export const Account = z
  .object({
    id: typeId('acct', 'Identifier of the account.'),
    object: objectName('account'),
    name: field(z.string(), 'Name, as buyers and their banks are told.', EXAMPLES.name),
    tax_id: field(z.string().nullable(), 'CNPJ or CPF without punctuation; null when not told.', EXAMPLES.taxId),
    support_email: field(
      z.string().nullable(),
      'Where buyers write to; answers to e-mails go there. Null when not told.',
      EXAMPLES.email,
    ),
    support_phone: field(
      z.string().nullable(),
      'Where buyers call, in E.164 form; null when not told.',
      EXAMPLES.phone,
    ),
    color: field(
      z.string().nullable(),
      'Color of buttons and links, `#rrggbb` in small letters; null: the color of the service.',
      EXAMPLES.color,
    ),
    logo_url: field(
      z.string().nullable(),
      'Where the logo was fetched from when it was set; null when there is none.',
      EXAMPLES.logoUrl,
    ),
    cover_color: field(
      z.string().nullable(),
      'Color behind the name and the amount on payment pages, `#rrggbb` in small letters; null: none.',
      EXAMPLES.coverColor,
    ),
    corner_radius: field(
      z.int().nullable(),
      'How round the corners of payment pages are, in pixels; null: as the service has them.',
      EXAMPLES.cornerRadius,
    ),
    font: field(PageFont.nullable(), 'What payment pages are written in; null: `sans`, as the device has it.', 'serif'),
    terms_url: field(
      z.string().nullable(),
      'The terms that whoever subscribes on a payment page agrees to; null when not told.',
      EXAMPLES.termsUrl,
    ),
    privacy_url: field(
      z.string().nullable(),
      'What the merchant says of personal data, linked from payment pages; null when not told.',
      EXAMPLES.privacyUrl,
    ),
    mail_settings: field(MailSettings, 'How buyers are written to.', { ...mailExample, occasions: everyOccasion }),
    created: timestamp('When the account was created, in real time.'),
    publishable_key: field(
      z.string(),
      'Names the account and its mode to pages of yours, which ask with it where cards go. It opens nothing and is no secret.',
      'pk_sandbox_01kaj4w2n8e9r7t5v3x1z0q6d4',
    ),
    live_mode: field(z.boolean(), 'true: what live buyers see; false: what the sandbox shows.', false),
  })
  .meta({ id: 'Account', description: 'The merchant, as buyers of one mode see it on pages and in e-mails.' });

export type Account = z.output<typeof Account>;

export const AccountUpdate = z
  .strictObject({
    name: field(
      printedText({ max: NAME_MAX }),
      'Name: 1 to 255 characters, none of them a control character.',
      EXAMPLES.name,
    ).optional(),
    tax_id: field(
      ofForm(text({ max: TAX_ID_MAX }), 'tax_id'),
      'CNPJ or CPF, with or without punctuation; check digits must be right.',
      '12.ABC.345/01DE-35',
    )
      .nullable()
      .optional(),
    support_email: field(emailAddress, 'Where buyers write to: up to 254 characters.', EXAMPLES.email)
      .nullable()
      .optional(),
    support_phone: field(
      ofForm(text({ max: PHONE_MAX }), 'phone'),
      'Phone in E.164 form. Without `+` or `00` it is a Brazilian number with its area code, and gets +55.',
      '(11) 4002-8922',
    )
      .nullable()
      .optional(),
    color: field(
      ofForm(text({ max: COLOR_MAX }), 'color').meta({ pattern: COLOR_PATTERN }),
      `\`#rrggbb\`, on which white text has a contrast of at least ${COLOR_CONTRAST_MIN} (WCAG 2).`,
      EXAMPLES.color,
    )
      .nullable()
      .optional(),
    logo_url: field(
      webUrl,
      `Where the logo is fetched from, at once and once: https in live mode, http or https in the sandbox, an address on the public internet, no redirect; a PNG, JPEG or WebP of at most ${LOGO_KIB_MAX} KiB and ${LOGO_SIDE_MAX} pixels a side.`,
      EXAMPLES.logoUrl,
    )
      .nullable()
      .optional(),
    cover_color: field(
      ofForm(text({ max: COLOR_MAX }), 'cover_color').meta({ pattern: COLOR_PATTERN }),
      'Any `#rrggbb`: the text on it is black or white, whichever is read better.',
      EXAMPLES.coverColor,
    )
      .nullable()
      .optional(),
    corner_radius: field(
      z.int().min(0).max(CORNER_RADIUS_MAX),
      `How round the corners of payment pages are: 0 to ${CORNER_RADIUS_MAX} pixels.`,
      EXAMPLES.cornerRadius,
    )
      .nullable()
      .optional(),
    font: field(
      PageFont,
      'What payment pages are written in. All are faces that devices have, so a page loads none.',
      'serif',
    )
      .nullable()
      .optional(),
    terms_url: field(
      webUrl,
      'Where the terms stand that whoever subscribes on a payment page agrees to.',
      EXAMPLES.termsUrl,
    )
      .nullable()
      .optional(),
    privacy_url: field(webUrl, 'Where the merchant says what becomes of personal data.', EXAMPLES.privacyUrl)
      .nullable()
      .optional(),
    mail_settings: field(MailSettingsUpdate, 'How buyers are written to: what is absent in it keeps.', {
      attach_receipt: true,
    }).optional(),
  })
  .meta({ id: 'AccountUpdate', description: 'Changes of the account: an absent field keeps, null clears.' });

export type AccountUpdate = z.output<typeof AccountUpdate>;

const UpdateBody = z
  .strictObject({ account: AccountUpdate })
  .meta({ id: 'AccountUpdateBody', description: 'Changes of the account.' });

export const account = c.router(
  {
    retrieve: {
      method: 'GET',
      path: '/account',
      summary: 'Retrieve the account',
      description:
        'The account of the API key. What it tells of itself stands for each mode apart; the sandbox begins with a copy of live mode.',
      responses: { 200: Account },
      metadata: meta({ scope: 'read' }),
    },
    update: {
      method: 'PATCH',
      path: '/account',
      summary: 'Update the account',
      description:
        'A live key changes what live buyers see, a sandbox key what the sandbox shows. A change is an event `account.updated`; one of live mode is also mailed to the owner of the account. A `logo_url` is fetched before the answer, also when it is the one that stands: so a new image at the same address is taken. A logo that cannot be taken is 422 `LOGO_REFUSED` and nothing is changed.',
      body: UpdateBody,
      responses: { 200: Account, ...failures(400, 408, 409, 413, 415, 422) },
      metadata: meta({ scope: 'write' }),
    },
  },
  routerOptions,
);
