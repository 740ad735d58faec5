//! Tree construction: SVG and MathML.
//!
//! Their elements keep the case that SVG prescribes, may be closed by their own start tag, and end at the first tag of
//! HTML that is not within one of their integration points.
//!
//! Reference: <https://html.spec.whatwg.org/multipage/parsing.html#parsing-main-inforeign>.

use super::dom::{Attr, Namespace, Node, Span};
use super::tag::Tag;
use super::tree::{Builder, Open, Token};
use super::tree_sets::{ANNOTATION, HTML_POINT, MATHML_POINT, SCOPE, SPECIAL};

impl Builder<'_> {
    /// Whether a start tag below an element of SVG or MathML follows the rules of foreign content.
    pub fn is_foreign_start(&self, top: Open, token: &Token) -> bool {
        let html = top.sets & HTML_POINT != 0
            || top.sets & MATHML_POINT != 0 && !matches!(token.tag, Tag::Mglyph | Tag::Malignmark)
            || top.sets & ANNOTATION != 0 && token.tag == Tag::Svg;
        !html
    }

    /// False if the tag ended the foreign content and is to be processed as HTML.
    pub fn foreign_start(&mut self, top: Open, token: &Token) -> bool {
        use Tag::*;
        let breaks_out = match token.tag {
            B | Big | Blockquote | Body | Br | Center | Code | Dd | Div | Dl | Dt | Em | Embed | H1 | H2
            | H3 | H4 | H5 | H6 | Head | Hr | I | Img | Li | Listing | Menu | Meta | Nobr | Ol | P | Pre
            | Ruby | S | Small | Span | Strong | Strike | Sub | Sup | Table | Tt | U | Ul | Var => true,
            Font => self
                .token_attrs(token)
                .iter()
                .any(|attr| matches!(self.dom.bytes(attr.name), b"color" | b"face" | b"size")),
            _ => false,
        };
        if breaks_out {
            self.leave_foreign();
            return false;
        }
        self.insert_foreign(token, top.ns);
        true
    }

    fn token_attrs(&self, token: &Token) -> &[Attr] {
        &self.dom.attrs[token.attrs as usize..(token.attrs + token.count) as usize]
    }

    fn leave_foreign(&mut self) {
        while self.top().ns != Namespace::Html && self.top().sets & (HTML_POINT | MATHML_POINT) == 0 {
            self.pop();
        }
    }

    /// True if the tag closed an element of SVG or MathML; false if it is to be processed as HTML.
    pub fn foreign_end(&mut self, token: &Token) -> bool {
        if matches!(token.tag, Tag::Br | Tag::P) {
            self.leave_foreign();
            return false;
        }
        for at in (1..self.stack.len()).rev() {
            let open = self.stack[at];
            self.work += 1;
            if open.ns == Namespace::Html {
                return false;
            }
            let tag = self.dom.node(open.id).tag;
            if tag == token.tag && (tag != Tag::Unknown || self.is_named(open.id, token.name)) {
                self.truncate_stack(at);
                return true;
            }
        }
        true
    }

    pub fn insert_foreign(&mut self, token: &Token, ns: Namespace) {
        self.adjust_attributes(token, ns);
        let mut sets = 0;
        match (ns, token.tag) {
            (Namespace::MathMl, Tag::Mi | Tag::Mo | Tag::Mn | Tag::Ms | Tag::Mtext) => {
                sets = SCOPE | SPECIAL | MATHML_POINT;
            }
            (Namespace::MathMl, Tag::AnnotationXml) => {
                sets = SCOPE | SPECIAL | ANNOTATION;
                let html = self.token_attrs(token).iter().any(|attr| {
                    let value = self.dom.bytes(attr.value);
                    self.dom.bytes(attr.name) == b"encoding"
                        && (value.eq_ignore_ascii_case(b"text/html")
                            || value.eq_ignore_ascii_case(b"application/xhtml+xml"))
                });
                if html {
                    sets |= HTML_POINT;
                }
            }
            (Namespace::Svg, Tag::Foreignobject | Tag::Desc | Tag::Title) => {
                sets = SCOPE | SPECIAL | HTML_POINT
            }
            (Namespace::Svg, Tag::Unknown) => {
                let at = token.attrs as usize - 1;
                if let Some(name) = svg_name(self.dom.bytes(self.dom.attrs[at].name)) {
                    self.dom.attrs[at].name = self.on_side(name);
                }
            }
            _ => {}
        }
        let id = self.dom.push_node(Node { a: token.attrs, b: token.count, ns, ..Node::new(token.tag) });
        self.put_element(id);
        if !token.self_closing {
            self.push_foreign(id, sets);
        }
    }

    fn adjust_attributes(&mut self, token: &Token, ns: Namespace) {
        for at in token.attrs as usize..(token.attrs + token.count) as usize {
            let name = self.dom.bytes(self.dom.attrs[at].name);
            let adjusted = match ns {
                Namespace::Svg => svg_attribute(name),
                _ => (name == b"definitionurl").then_some("definitionURL"),
            };
            if let Some(adjusted) = adjusted {
                self.dom.attrs[at].name = self.on_side(adjusted);
            }
        }
    }

    fn on_side(&mut self, name: &str) -> Span {
        let start = self.dom.side.len();
        self.dom.side.push_str(name);
        self.side_from(start)
    }
}

macro_rules! spelled {
    ($(#[$doc:meta])* $name:ident: $($lower:literal $proper:literal)*) => {
        $(#[$doc])*
        fn $name(lower: &[u8]) -> Option<&'static str> {
            Some(match lower {
                $($lower => $proper,)*
                _ => return None,
            })
        }
    };
}

spelled! {
    /// Names of SVG elements as SVG spells them.
    svg_name:
    b"altglyph" "altGlyph" b"altglyphdef" "altGlyphDef" b"altglyphitem" "altGlyphItem"
    b"animatecolor" "animateColor" b"animatemotion" "animateMotion" b"animatetransform" "animateTransform"
    b"clippath" "clipPath" b"feblend" "feBlend" b"fecolormatrix" "feColorMatrix"
    b"fecomponenttransfer" "feComponentTransfer" b"fecomposite" "feComposite"
    b"feconvolvematrix" "feConvolveMatrix" b"fediffuselighting" "feDiffuseLighting"
    b"fedisplacementmap" "feDisplacementMap" b"fedistantlight" "feDistantLight" b"fedropshadow" "feDropShadow"
    b"feflood" "feFlood" b"fefunca" "feFuncA" b"fefuncb" "feFuncB" b"fefuncg" "feFuncG" b"fefuncr" "feFuncR"
    b"fegaussianblur" "feGaussianBlur" b"feimage" "feImage" b"femerge" "feMerge" b"femergenode" "feMergeNode"
    b"femorphology" "feMorphology" b"feoffset" "feOffset" b"fepointlight" "fePointLight"
    b"fespecularlighting" "feSpecularLighting" b"fespotlight" "feSpotLight" b"fetile" "feTile"
    b"feturbulence" "feTurbulence" b"glyphref" "glyphRef" b"lineargradient" "linearGradient"
    b"radialgradient" "radialGradient" b"textpath" "textPath"
}

spelled! {
    /// Names of SVG attributes as SVG spells them.
    svg_attribute:
    b"attributename" "attributeName" b"attributetype" "attributeType" b"basefrequency" "baseFrequency"
    b"baseprofile" "baseProfile" b"calcmode" "calcMode" b"clippathunits" "clipPathUnits"
    b"diffuseconstant" "diffuseConstant" b"edgemode" "edgeMode" b"filterunits" "filterUnits"
    b"glyphref" "glyphRef" b"gradienttransform" "gradientTransform" b"gradientunits" "gradientUnits"
    b"kernelmatrix" "kernelMatrix" b"kernelunitlength" "kernelUnitLength" b"keypoints" "keyPoints"
    b"keysplines" "keySplines" b"keytimes" "keyTimes" b"lengthadjust" "lengthAdjust"
    b"limitingconeangle" "limitingConeAngle" b"markerheight" "markerHeight" b"markerunits" "markerUnits"
    b"markerwidth" "markerWidth" b"maskcontentunits" "maskContentUnits" b"maskunits" "maskUnits"
    b"numoctaves" "numOctaves" b"pathlength" "pathLength" b"patterncontentunits" "patternContentUnits"
    b"patterntransform" "patternTransform" b"patternunits" "patternUnits" b"pointsatx" "pointsAtX"
    b"pointsaty" "pointsAtY" b"pointsatz" "pointsAtZ" b"preservealpha" "preserveAlpha"
    b"preserveaspectratio" "preserveAspectRatio" b"primitiveunits" "primitiveUnits" b"refx" "refX"
    b"refy" "refY" b"repeatcount" "repeatCount" b"repeatdur" "repeatDur"
    b"requiredextensions" "requiredExtensions" b"requiredfeatures" "requiredFeatures"
    b"specularconstant" "specularConstant" b"specularexponent" "specularExponent"
    b"spreadmethod" "spreadMethod" b"startoffset" "startOffset" b"stddeviation" "stdDeviation"
    b"stitchtiles" "stitchTiles" b"surfacescale" "surfaceScale" b"systemlanguage" "systemLanguage"
    b"tablevalues" "tableValues" b"targetx" "targetX" b"targety" "targetY" b"textlength" "textLength"
    b"viewbox" "viewBox" b"viewtarget" "viewTarget" b"xchannelselector" "xChannelSelector"
    b"ychannelselector" "yChannelSelector" b"zoomandpan" "zoomAndPan"
}
