//! What stands in the brackets of `#[timed(…)]`.

use proc_macro2::TokenStream;
use syn::parse::{Parse, ParseStream, Parser};
use syn::{Error, LitStr, Path, Result, Token};

/// The options given.
#[derive(Default)]
pub struct Options {
    pub name: Option<LitStr>,
    pub category: Option<LitStr>,
    pub home: Option<Path>,
}

impl Options {
    pub fn of(tokens: TokenStream) -> Result<Self> {
        Self::parse.parse2(tokens)
    }
}

impl Parse for Options {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let mut options = Self::default();
        while !input.is_empty() {
            if input.peek(Token![crate]) {
                let key: Token![crate] = input.parse()?;
                input.parse::<Token![=]>()?;
                once(&mut options.home, key.span, "crate", input.call(Path::parse_mod_style)?)?;
            } else if input.peek(LitStr) {
                return Err(input.error("an option is `name = \"…\"` or `category = \"…\"`"));
            } else {
                let key: syn::Ident = input.parse()?;
                let place = match key.to_string().as_str() {
                    "name" => &mut options.name,
                    "category" => &mut options.category,
                    other => {
                        let sentence = format!(
                            "#[timed] knows no option `{other}`; there are `name`, `category` and `crate`"
                        );
                        return Err(Error::new(key.span(), sentence));
                    }
                };
                input.parse::<Token![=]>()?;
                let text = input.parse().map_err(|error| {
                    let sentence = format!("the {key} of a section is a string in quotes");
                    Error::new(error.span(), sentence)
                })?;
                once(place, key.span(), &key.to_string(), text)?;
            }
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        Ok(options)
    }
}

fn once<T>(place: &mut Option<T>, at: proc_macro2::Span, key: &str, value: T) -> Result<()> {
    if place.replace(value).is_some() {
        return Err(Error::new(at, format!("`{key}` is given twice")));
    }
    Ok(())
}
