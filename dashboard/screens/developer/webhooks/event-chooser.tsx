import type { EventType } from '@fatura/sdk';
import { useState } from 'react';
import { Button as AriaButton } from 'react-aria-components';
import { Tick } from '../../../parts/field.tsx';
import { eventTexts } from '../../../texts/events.ts';
import { useTexts } from '../../../texts/language.tsx';
import { eventResources } from '../event-resources.ts';
import { allEventTypes, type EventGroup, eventGroups } from '../event-types.ts';
import { webhookTexts } from './texts.ts';

interface ChooserProps {
  readonly chosen: ReadonlySet<EventType>;
  readonly onChange: (chosen: ReadonlySet<EventType>) => void;
}

/** With some types, or without them. */
function changed({ chosen }: ChooserProps, types: readonly EventType[], isChosen: boolean): ReadonlySet<EventType> {
  return new Set(isChosen ? [...chosen, ...types] : [...chosen].filter((type) => !types.includes(type)));
}

function Group({ group: { resource, types }, ...props }: ChooserProps & { group: EventGroup }) {
  const texts = useTexts(webhookTexts);
  const names = useTexts(eventResources);
  const sentences = useTexts(eventTexts);
  const [isOpen, setOpen] = useState(false);
  const count = types.filter((type) => props.chosen.has(type)).length;
  return (
    <li>
      <div className="event-group">
        <Tick
          isSelected={count === types.length}
          isIndeterminate={count > 0 && count < types.length}
          onChange={(isChosen) => props.onChange(changed(props, types, isChosen))}
        >
          {names[resource]} <small className="soft">{texts.chosenOf(count, types.length)}</small>
        </Tick>
        <AriaButton className="link-button" aria-expanded={isOpen} onPress={() => setOpen(!isOpen)}>
          {isOpen ? texts.fold : texts.choose}
          <span className="visually-hidden"> {names[resource]}</span>
        </AriaButton>
      </div>
      {isOpen && (
        <div className="event-types">
          {types.map((type) => (
            <Tick
              key={type}
              isSelected={props.chosen.has(type)}
              onChange={(isChosen) => props.onChange(changed(props, [type], isChosen))}
            >
              {sentences[type]} <code className="soft">{type}</code>
            </Tick>
          ))}
        </div>
      )}
    </li>
  );
}

/** Which events an endpoint receives: all, all of a kind, or some. */
export function EventChooser(props: ChooserProps) {
  const texts = useTexts(webhookTexts);
  const { chosen, onChange } = props;
  const isAll = chosen.size === allEventTypes.length;
  return (
    <fieldset className="event-chooser">
      <legend className="label">
        {texts.types} <small className="soft">{chosen.size === 0 ? texts.noTypes : texts.typesOf(chosen.size)}</small>
      </legend>
      <Tick
        isSelected={isAll}
        isIndeterminate={!isAll && chosen.size > 0}
        onChange={(isChosen) => onChange(new Set(isChosen ? allEventTypes : []))}
      >
        {texts.everyType} <code className="soft">*</code>
      </Tick>
      <ul>
        {eventGroups.map((group) => (
          <Group key={group.resource} {...props} group={group} />
        ))}
      </ul>
    </fieldset>
  );
}
