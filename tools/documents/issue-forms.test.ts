import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { files, read } from '../repository.ts';

/** What GitHub demands of a form; it hides the whole form otherwise. */
function faultsOf(text: string): readonly string[] {
  const { name, description, body = [], ...others } = parse(text);
  const fields: { type: string; id: string; attributes: { label?: string; options?: string[] } }[] = body;
  const ids = fields.map(({ id }) => id);
  return [
    ...(name && description && fields.length > 0 ? [] : ['name, description and body are required']),
    ...Object.keys(others).filter((key) => !['assignees', 'labels', 'projects', 'title', 'type'].includes(key)),
    ...fields.flatMap(({ type, id, attributes }, at) => [
      ...(['checkboxes', 'dropdown', 'input', 'textarea'].includes(type) ? [] : [`${id}: ${type}`]),
      ...(/^[\w-]+$/.test(id) && ids.indexOf(id) === at ? [] : [`${id}: the id is missing, wrong or taken`]),
      ...(attributes.label ? [] : [`${id}: no label`]),
      ...((type === 'dropdown') === (attributes.options !== undefined) ? [] : [`${id}: options`]),
    ]),
  ];
}

test('every issue form is one that GitHub accepts', () => {
  const forms = files('.github/ISSUE_TEMPLATE/*.yml');
  expect(forms.length).toBeGreaterThan(2);
  expect(forms.flatMap((path) => faultsOf(read(path)))).toEqual([]);
});

test.each([
  ['no name', 'description: b\nbody: [{ type: input, id: a, attributes: { label: a } }]'],
  ['an unknown key', 'name: a\ndescription: b\nlabel: c\nbody: [{ type: input, id: a, attributes: { label: a } }]'],
  ['an unknown type', 'name: a\ndescription: b\nbody: [{ type: text, id: a, attributes: { label: a } }]'],
  ['a field without label', 'name: a\ndescription: b\nbody: [{ type: input, id: a, attributes: {} }]'],
  ['a choice without options', 'name: a\ndescription: b\nbody: [{ type: dropdown, id: a, attributes: { label: a } }]'],
])('a form with %s is rejected', (_, form) => {
  expect(faultsOf(form)).toHaveLength(1);
});
