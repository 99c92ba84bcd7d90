import { ActionIcon, Code, CopyButton, Group, Tooltip } from '@mantine/core';
import { Icon } from './icon.tsx';
import { useTexts } from './texts.tsx';

/** A button that copies a text. `what` names it for users who do not see where the button is. */
export function Copy({ text, what }: { text: string; what: string }) {
  const { t } = useTexts();
  return (
    <CopyButton value={text}>
      {({ copied, copy }) => (
        <Tooltip label={t(copied ? 'copy.done' : 'copy.copy')} withArrow>
          <ActionIcon
            variant="subtle"
            color={copied ? 'teal' : 'gray'}
            aria-label={t(copied ? 'copy.doneWhat' : 'copy.copyWhat', { what })}
            onClick={copy}
          >
            <Icon name={copied ? 'check' : 'copy'} size={16} />
          </ActionIcon>
        </Tooltip>
      )}
    </CopyButton>
  );
}

/** An ID with a button that copies it. */
export const Id = ({ id }: { id: string }) => (
  <Group component="span" gap={2} wrap="nowrap" display="inline-flex">
    <Code>{id}</Code>
    <Copy text={id} what={id} />
  </Group>
);
