// The scripts of the pages: plain scripts that share one scope, in the order in which a page has them.
import { createRequire } from "node:module";

const js = createRequire(new URL("../../target/node/package.json", import.meta.url))("@eslint/js");

export default [
  js.configs.recommended,
  {
    languageOptions: { sourceType: "script", ecmaVersion: 2024 },
    rules: {
      // The types know which names there are, over all files; what one file makes another uses.
      "no-undef": "off",
      "no-unused-vars": ["error", { vars: "local", args: "none" }],
      "no-redeclare": "off",
      eqeqeq: "error",
      "no-var": "error",
      "prefer-const": "error",
      "no-implied-eval": "error",
      "no-eval": "error",
      "no-new-func": "error",
      "no-restricted-properties": ["error",
        ...["innerHTML", "outerHTML", "insertAdjacentHTML", "write", "writeln", "srcdoc"].map(property => ({ property, message: "text stays text" }))],
    },
  },
];
