import { languages } from './code-snippets.js';

const base = new URL('.', location.href).href;
document.querySelector('#base').textContent = base;

const token = document.querySelector('#access-token');
keepToken(document.querySelector('#keep-token'), document.querySelector('#keep-token-label'));
token.addEventListener('input', () => {
  // What is pasted may be the whole header.
  const bare = token.value.trim().replace(/^(Authorization:\s*)?Bearer\s+/i, '');
  if (bare !== token.value) token.value = bare;
  showTokenHint();
});
showTokenHint();
for (const form of document.forms) operate(form);
// Folded where a screen is a few rows high.
if (matchMedia('(max-width: 640px)').matches) {
  for (const errors of document.querySelectorAll('details')) errors.open = false;
}

function showTokenHint() {
  for (const hint of document.querySelectorAll('.no-token')) hint.hidden = token.value !== '';
}

/** Offers to keep the token in the tab's storage. Browsers can be set to keep nothing: then every access throws. */
function keepToken(keep, label) {
  // Other services may have the same origin.
  const key = `access token for ${location.pathname}`;
  try {
    const kept = sessionStorage.getItem(key) ?? '';
    token.value = kept;
    keep.checked = kept !== '';
    label.hidden = false;
  } catch {
    return;
  }
  const save = () =>
    keep.checked && token.value !== '' ? sessionStorage.setItem(key, token.value) : sessionStorage.removeItem(key);
  keep.addEventListener('change', save);
  // After it has lost what does not belong to it.
  token.addEventListener('input', () => queueMicrotask(save));
}

/** Brings the form of an operation to life: its examples, its code, its request. */
function operate(form) {
  const find = (selector) => form.querySelector(selector);
  const [body, examples, code, copy] = ['.body', '.examples', '.code', '.copy'].map(find);
  const method = form.dataset.method.toUpperCase();
  let language = 'curl';

  const show = () => {
    // Parameters stay in braces until they are filled in.
    const url = addressOf(form, (name) => `{${name}}`);
    code.querySelector('code').textContent = languages[language]({ url, method, body: body?.value });
  };
  for (const name of Object.keys(languages)) {
    const label = document.createElement('label');
    const input = Object.assign(document.createElement('input'), {
      type: 'radio',
      name: 'language',
      checked: name === language,
    });
    input.addEventListener('change', () => {
      language = name;
      show();
    });
    label.append(input, ` ${name}`);
    code.querySelector('.languages').append(label);
  }
  examples?.addEventListener('change', () => {
    body.value = examples.value;
    show();
  });
  form.addEventListener('input', show);
  // Over plain HTTP a page of another machine has no clipboard.
  copy.hidden = !navigator.clipboard;
  copy.addEventListener('click', async () => {
    await navigator.clipboard.writeText(code.querySelector('code').textContent);
    copy.textContent = 'Copied';
    setTimeout(() => (copy.textContent = 'Copy'), 2_000);
  });
  show();
  code.hidden = false;

  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const response = find('.response');
    const button = find('[type=submit]');
    button.disabled = true;
    const started = performance.now();
    try {
      const headers = {
        ...(token.value === '' ? {} : { authorization: `Bearer ${token.value}` }),
        ...(body ? { 'content-type': 'application/json' } : {}),
      };
      const answer = await fetch(
        addressOf(form, () => ''),
        { method, headers, body: body?.value },
      );
      const text = await answer.text();
      const duration = Math.round(performance.now() - started);
      response.replaceChildren(
        heading(answer, duration),
        element('pre', { tabIndex: 0, ariaLabel: 'Response body' }, element('code', {}, text)),
        element(
          'p',
          { className: 'headers' },
          [...answer.headers].map(([name, value]) => `${name}: ${value}`).join(' · '),
        ),
      );
    } catch (error) {
      response.replaceChildren(element('p', { className: 'failure' }, `No response: ${error.message}. Retry it.`));
    } finally {
      button.disabled = false;
    }
  });
}

function heading({ status, ok }, duration) {
  const number = element('span', { className: ok ? 'status ok' : 'status' }, String(status));
  return element('h3', {}, number, ` in ${duration} ms`);
}

function addressOf(form, missing) {
  const path = form.dataset.path.replace(/\{(\w+)\}/g, (_, name) => {
    const { value } = form.elements[name];
    return value === '' ? missing(name) : encodeURIComponent(value);
  });
  return base + path.slice(1);
}

function element(name, properties, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}
