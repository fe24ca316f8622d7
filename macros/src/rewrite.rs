//! A function becomes the same function with a section around its body.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{
    AttrStyle, Attribute, Block, Error, Expr, ExprAsync, LitStr, Result, ReturnType, Signature,
    Stmt, Type, Visibility, parse_quote,
};

use crate::options::Options;

/// A function, in a trait or an implementation or by itself.
struct Function {
    attributes: Vec<Attribute>,
    visibility: Visibility,
    defaultness: Option<syn::Token![default]>,
    signature: Signature,
    body: Block,
}

pub fn timed(options: TokenStream, item: TokenStream) -> Result<TokenStream> {
    let options = Options::of(options)?;
    let Function { attributes, visibility, defaultness, signature, body } = parse(item)?;
    if let Some(constant) = signature.constness {
        return Err(Error::new(
            constant.span(),
            "a const fn cannot be timed: it may run at compile time; time its callers with section!",
        ));
    }
    let home = options.home.unwrap_or_else(|| parse_quote!(::xtimer_core));
    let own = LitStr::new(&plain_name(&signature), signature.ident.span());
    let name = options.name.unwrap_or(own);
    let category = match options.category {
        Some(category) => quote!(#category),
        None => quote!(#home::DEFAULT_CATEGORY),
    };
    // Those of the body go back into it.
    let (outer, inner): (Vec<_>, Vec<_>) =
        attributes.into_iter().partition(|one| matches!(one.style, AttrStyle::Outer));
    let body = if signature.asyncness.is_some() {
        let result = result_hint(&signature.output);
        let statements = &body.stmts;
        let future = quote_spanned!(body.span()=> async move { #result #(#statements)* });
        let timed = timed_future(&home, &name, &category, &future);
        quote_spanned!(body.span()=> { #(#inner)* #timed.await })
    } else if let Some((before, call, future)) = boxed_future(&body) {
        let timed = timed_future(&home, &name, &category, &quote!(#future));
        let function = &call.func;
        quote!({ #(#inner)* #(#before)* #function(#timed) })
    } else {
        let statements = &body.stmts;
        quote_spanned!(body.span()=> {
            #(#inner)*
            let __xtimer_section = #home::section!(#name, #category);
            #(#statements)*
        })
    };
    Ok(quote! {
        #(#outer)*
        #visibility #defaultness #signature #body
    })
}

fn parse(item: TokenStream) -> Result<Function> {
    const NO_FUNCTION: &str = "#[timed] goes on a function, a method or an async fn";
    let whole = item.clone();
    if let Ok(function) = syn::parse2::<syn::ImplItemFn>(item.clone()) {
        return Ok(Function {
            attributes: function.attrs,
            visibility: function.vis,
            defaultness: function.defaultness,
            signature: function.sig,
            body: function.block,
        });
    }
    match syn::parse2::<syn::TraitItemFn>(item) {
        Ok(function) if function.default.is_none() => Err(Error::new(
            function.sig.span(),
            "a function without a body cannot be timed; put #[timed] on its implementation",
        )),
        Ok(_) => Err(Error::new(whole.span(), NO_FUNCTION)),
        // The compiler tells better what is wrong in a function that does not parse.
        Err(error) if whole.clone().into_iter().any(|token| token.to_string() == "fn") => {
            match syn::parse2::<syn::Item>(whole.clone()) {
                Ok(_) => Err(Error::new(whole.span(), NO_FUNCTION)),
                Err(_) => Err(error),
            }
        }
        Err(_) => Err(Error::new(whole.span(), NO_FUNCTION)),
    }
}

/// The function's name, `r#` apart.
fn plain_name(signature: &Signature) -> String {
    let name = signature.ident.to_string();
    name.strip_prefix("r#").map_or(name.clone(), str::to_owned)
}

/// The future with its call site.
fn timed_future(
    home: &syn::Path,
    name: &LitStr,
    category: &TokenStream,
    future: &TokenStream,
) -> TokenStream {
    quote! {{
        static __XTIMER_SITE: #home::Site = #home::Site::new(#name, #category);
        #home::Timed::at(&__XTIMER_SITE, #future)
    }}
}

/// Tells the async block what it returns: `?` and early returns need to know. Where the type cannot be
/// written in a body (`impl Trait`, `!`), the compiler finds it out.
fn result_hint(output: &ReturnType) -> TokenStream {
    let hinted: Type = match output {
        ReturnType::Default => parse_quote!(()),
        ReturnType::Type(_, hinted) => (**hinted).clone(),
    };
    if matches!(hinted, Type::Never(_)) || has_impl_trait(&quote!(#hinted)) {
        return TokenStream::new();
    }
    quote! {
        #[allow(unreachable_code, clippy::diverging_sub_expression, clippy::empty_loop,
            clippy::let_unit_value, clippy::needless_return, clippy::unreachable, clippy::let_with_type_underscore,
            clippy::used_underscore_binding)]
        if false {
            let __xtimer_result: #hinted = loop {};
            return __xtimer_result;
        }
    }
}

fn has_impl_trait(tokens: &TokenStream) -> bool {
    tokens.clone().into_iter().any(|token| match token {
        proc_macro2::TokenTree::Group(group) => has_impl_trait(&group.stream()),
        proc_macro2::TokenTree::Ident(word) => word == "impl",
        _ => false,
    })
}

/// A body that ends with `Box::pin(async move { … })`: its other statements, the call, the future.
fn boxed_future(body: &Block) -> Option<(&[Stmt], &syn::ExprCall, &ExprAsync)> {
    let (last, before) = body.stmts.split_last()?;
    let Stmt::Expr(Expr::Call(call), None) = last else { return None };
    let Expr::Path(function) = &*call.func else { return None };
    let mut names = function.path.segments.iter().rev().map(|segment| segment.ident.to_string());
    if names.next()? != "pin" || names.next()? != "Box" || call.args.len() != 1 {
        return None;
    }
    match call.args.first()? {
        Expr::Async(future) => Some((before, call, future)),
        _ => None,
    }
}
